{{/* How many pods there are at least. */}}
{{- define "certificate-webhooks.leastReplicas" -}}
{{- .Values.autoscaling.enabled | ternary .Values.autoscaling.minReplicas .Values.replicas | int -}}
{{- end }}

{{- define "certificate-webhooks.check.replicas" -}}
{{- with .Values.autoscaling }}
{{- if .enabled }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
autoscaling.minReplicas is {{ .minReplicas }}: it has to be at most maxReplicas, which is {{ .maxReplicas }}
{{- end }}
{{- with $.Values.strimzi }}
{{- if and .enabled .topics.enabled (has "certificates" .topics.roles) (gt (int $.Values.autoscaling.maxReplicas) (int .topics.partitions)) }}
autoscaling.maxReplicas is {{ $.Values.autoscaling.maxReplicas }}, and the certificate topics have {{ .topics.partitions }} partitions: what is more would stand idle
{{- end }}
{{- end }}
{{- if and (eq "keda" .kind) (not .keda.authentication) }}
{{- range $name := list "KAFKA_SASL_PASSWORD_FILE" "KAFKA_TLS_CA_FILE" "KAFKA_TLS_CERT_FILE" "KAFKA_TLS_KEY_FILE" }}
{{- if include "certificate-webhooks.given" (dict "root" $ "name" $name) }}
settings.{{ $name }} is a file in the pods, which KEDA can't read: give it by settingsFrom, or name a TriggerAuthentication in autoscaling.keda.authentication
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq "keda" .kind) .keda.fallback (gt (int .keda.fallback.replicas) (int .maxReplicas)) }}
autoscaling.keda.fallback.replicas is {{ .keda.fallback.replicas }}: it has to be at most maxReplicas, which is {{ .maxReplicas }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* A budget that lets no pod go keeps nodes from being drained. */}}
{{- define "certificate-webhooks.check.disruption" -}}
{{- with .Values.podDisruptionBudget }}
{{- if .enabled }}
{{- $max := include "certificate-webhooks.text" .maxUnavailable }}
{{- $min := include "certificate-webhooks.text" .minAvailable }}
{{- $replicas := include "certificate-webhooks.leastReplicas" $ | int }}
{{- $needed := hasSuffix "%" $min | ternary (div (add (mul (trimSuffix "%" $min) $replicas) 99) 100) (int $min) | int }}
{{- if and $max $min }}
podDisruptionBudget has maxUnavailable and minAvailable: set one of them to ""
{{- else if not (or $max $min) }}
podDisruptionBudget has neither maxUnavailable nor minAvailable: set one of them
{{- else if has $max (list "0" "0%") }}
podDisruptionBudget.maxUnavailable is {{ $max }}: no node with a pod could be drained; take 1 or more
{{- else if and $min $replicas (ge $needed $replicas) }}
podDisruptionBudget.minAvailable is {{ $min }} of {{ $replicas }} pods: no node with a pod could be drained; take less, or maxUnavailable
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.topics" -}}
{{- with .Values.strimzi }}
{{- if .enabled }}
{{- if not .cluster }}
strimzi.cluster has to be the name of the Kafka resource
{{- end }}
{{- if and .topics.enabled $.Values.topicsJob.enabled }}
strimzi and topicsJob would both make topics: turn off topicsJob.enabled or strimzi.topics.enabled
{{- end }}
{{- $user := include "certificate-webhooks.kafkaUser" $ }}
{{- $login := include "certificate-webhooks.given" (dict "root" $ "name" "KAFKA_SASL_USERNAME") }}
{{- if and .user.enabled $login (ne $user $login) }}
settings.KAFKA_SASL_USERNAME is {{ $login }}, and Strimzi makes the user {{ $user }}: change it, strimzi.user.name, or turn off strimzi.user.enabled
{{- end }}
{{- if and .user.enabled (not (regexMatch "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" $user)) }}
settings.KAFKA_SASL_USERNAME is {{ $user }}, and no KafkaUser can be called that: take lower-case letters, digits, - and .
{{- end }}
{{- if gt (int .topics.minInsyncReplicas) (int .topics.replicas) }}
strimzi.topics.minInsyncReplicas is {{ .topics.minInsyncReplicas }}, and there are {{ .topics.replicas }} replicas: nothing could be written
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.network" -}}
{{- with .Values.networkPolicy }}
{{- if .enabled }}
{{- if not (include "certificate-webhooks.brokerPorts" $ | fromJsonArray) }}
networkPolicy.kafka.ports has to be set, as settings does not say the brokers
{{- end }}
{{- if and (include "certificate-webhooks.isGivenAnyhow" (dict "root" $ "name" "DELIVERY_PROXY_URL")) (not .egress) }}
networkPolicy.egress has to let the pods reach the proxy of DELIVERY_PROXY_URL
{{- end }}
{{- if and (hasKey (include "certificate-webhooks.sources" $ | fromJson) "SCHEMA_REGISTRY_URL") (not .egress) }}
networkPolicy.egress has to let the pods reach the schema registry, as settings does not say where it is
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.monitors" -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled }}
serviceMonitor and podMonitor would both scrape the pods, and everything would count twice: turn one off
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.image" -}}
{{- if and (eq "latest" .Values.image.tag) (not .Values.image.digest) }}
image.tag is latest, which is another image tomorrow: name a version, or a digest
{{- end }}
{{- end }}
