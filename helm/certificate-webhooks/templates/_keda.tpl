{{/* The name of the TriggerAuthentication. Empty if Kafka needs no login. */}}
{{- define "certificate-webhooks.kedaAuthentication" -}}
{{- if .Values.autoscaling.keda.authentication -}}
{{- .Values.autoscaling.keda.authentication -}}
{{- else if include "certificate-webhooks.kedaCredentials" . | fromJson -}}
{{- include "certificate-webhooks.fullname" . -}}
{{- end -}}
{{- end }}

{{/* The sources of KEDA's Kafka login, the same as those of the service. As JSON. */}}
{{- define "certificate-webhooks.kedaCredentials" -}}
{{- $sources := include "certificate-webhooks.sources" . | fromJson -}}
{{- $parameters := dict "KAFKA_SASL_PASSWORD" "password" "KAFKA_OAUTH_CLIENT_SECRET" "password" "KAFKA_TLS_CA_FILE" "ca" "KAFKA_TLS_CERT_FILE" "cert" "KAFKA_TLS_KEY_FILE" "key" -}}
{{- $credentials := dict -}}
{{- range $name, $parameter := $parameters -}}
{{- with get $sources $name -}}
{{- $kind := empty .secret | ternary "configMapTargetRef" "secretTargetRef" -}}
{{- /* KEDA takes one key. Without one, it is that of the current authority in Strimzi's Secrets and cert-manager's. */ -}}
{{- $reference := dict "parameter" $parameter "name" (.secret | default .configMap) "key" (.key | default "ca.crt") -}}
{{- $_ := set $credentials $kind (append (get $credentials $kind | default list) $reference) -}}
{{- end -}}
{{- end -}}
{{- /* These may be in the values or in a Secret. The container's environment has them in both cases. */ -}}
{{- $fromEnvironment := list -}}
{{- $names := dict "KAFKA_SASL_USERNAME" "username" "KAFKA_OAUTH_CLIENT_ID" "username" "KAFKA_OAUTH_TOKEN_URL" "oauthTokenEndpointUri" "KAFKA_OAUTH_SCOPE" "scopes" -}}
{{- range $name, $parameter := $names -}}
{{- if include "certificate-webhooks.isSet" (dict "root" $ "name" $name) -}}
{{- $fromEnvironment = append $fromEnvironment (dict "parameter" $parameter "name" $name "containerName" "certificate-webhooks") -}}
{{- end -}}
{{- end -}}
{{- with $fromEnvironment -}}{{- $_ := set $credentials "env" . -}}{{- end -}}
{{- toJson $credentials -}}
{{- end }}

{{/* The metadata of a KEDA trigger. KEDA accepts only strings. Takes: root, topic. */}}
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
sasl: {{ get (dict "plain" "plaintext" "scram-sha-256" "scram_sha256" "scram-sha-512" "scram_sha512" "oauthbearer" "oauthbearer") . }}
{{- end }}
{{- if eq "true" (include "certificate-webhooks.setting" (dict "root" .root "name" "KAFKA_TLS")) }}
tls: enable
{{- end }}
{{- with .root.Values.autoscaling.keda.metadata }}
{{ toYaml . }}
{{- end }}
{{- end }}
