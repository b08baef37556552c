{{/* The name of the TriggerAuthentication; nothing when Kafka asks for nothing. */}}
{{- define "certificate-webhooks.kedaAuthentication" -}}
{{- if .Values.autoscaling.keda.authentication -}}
{{- .Values.autoscaling.keda.authentication -}}
{{- else if include "certificate-webhooks.kedaCredentials" . | fromJson -}}
{{- include "certificate-webhooks.fullname" . -}}
{{- end -}}
{{- end }}

{{/* By what KEDA logs in to Kafka: where the service has it from. As JSON. */}}
{{- define "certificate-webhooks.kedaCredentials" -}}
{{- $sources := include "certificate-webhooks.sources" . | fromJson -}}
{{- $parameters := dict "KAFKA_SASL_PASSWORD" "password" "KAFKA_TLS_CA_FILE" "ca" "KAFKA_TLS_CERT_FILE" "cert" "KAFKA_TLS_KEY_FILE" "key" -}}
{{- $credentials := dict -}}
{{- range $name, $parameter := $parameters -}}
{{- with get $sources $name -}}
{{- $kind := empty .secret | ternary "configMapTargetRef" "secretTargetRef" -}}
{{- $reference := dict "parameter" $parameter "name" (.secret | default .configMap) "key" .key -}}
{{- $_ := set $credentials $kind (append (get $credentials $kind | default list) $reference) -}}
{{- end -}}
{{- end -}}
{{- if include "certificate-webhooks.isGiven" (dict "root" . "name" "KAFKA_SASL_USERNAME") -}}
{{- /* The name may be in the values or in a Secret: the container's environment has it in either case. */ -}}
{{- $_ := set $credentials "env" (list (dict "parameter" "username" "name" "KAFKA_SASL_USERNAME" "containerName" "certificate-webhooks")) -}}
{{- end -}}
{{- toJson $credentials -}}
{{- end }}

{{/* KEDA takes texts only. Takes: root, topic. */}}
{{- define "certificate-webhooks.kedaMetadata" -}}
{{- $brokers := include "certificate-webhooks.items" (dict "root" .root "name" "KAFKA_BROKERS") | fromJsonArray | join "," -}}
{{- if $brokers -}}
bootstrapServers: {{ quote $brokers }}
{{- else -}}
bootstrapServersFromEnv: KAFKA_BROKERS
{{- end }}
consumerGroup: {{ include "certificate-webhooks.setting" (dict "root" .root "name" "KAFKA_GROUP_ID") | quote }}
topic: {{ quote .topic }}
lagThreshold: {{ int .root.Values.autoscaling.keda.lagThreshold | quote }}
offsetResetPolicy: {{ eq "latest" (include "certificate-webhooks.setting" (dict "root" .root "name" "CERTIFICATE_START")) | ternary "latest" "earliest" }}
{{- with include "certificate-webhooks.setting" (dict "root" .root "name" "KAFKA_SASL_MECHANISM") }}
sasl: {{ get (dict "plain" "plaintext" "scram-sha-256" "scram_sha256" "scram-sha-512" "scram_sha512") . }}
{{- end }}
{{- if eq "true" (include "certificate-webhooks.setting" (dict "root" .root "name" "KAFKA_TLS")) }}
tls: enable
{{- end }}
{{- end }}
