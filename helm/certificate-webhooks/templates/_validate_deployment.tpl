{{/* The minimum number of pods. If somebody else sets it, it is taken to be two. */}}
{{- define "certificate-webhooks.leastReplicas" -}}
{{- $own := kindIs "invalid" .Values.replicas | ternary 2 .Values.replicas -}}
{{- .Values.autoscaling.enabled | ternary .Values.autoscaling.minReplicas $own | int -}}
{{- end }}

{{- define "certificate-webhooks.check.replicas" -}}
{{- with .Values.autoscaling }}
{{- if .enabled }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
autoscaling.minReplicas is {{ .minReplicas }}: it must be at most maxReplicas, which is {{ .maxReplicas }}
{{- end }}
{{- with $.Values.strimzi }}
{{- if and .enabled .topics.enabled (has "certificates" .topics.roles) (gt (int $.Values.autoscaling.maxReplicas) (int .topics.partitions)) }}
autoscaling.maxReplicas is {{ $.Values.autoscaling.maxReplicas }}, but the certificate topics have {{ .topics.partitions }} partitions: more pods would be idle
{{- end }}
{{- end }}
{{- if and (eq "keda" .kind) (not .keda.authentication) }}
{{- range $name := list "KAFKA_SASL_PASSWORD_FILE" "KAFKA_TLS_CA_FILE" "KAFKA_TLS_CERT_FILE" "KAFKA_TLS_KEY_FILE" }}
{{- if include "certificate-webhooks.settingText" (dict "root" $ "name" $name) }}
settings.{{ $name }} is a file in the pods, which KEDA cannot read: use settingsFrom, or name a TriggerAuthentication in autoscaling.keda.authentication
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq "keda" .kind) .keda.fallback (gt (int .keda.fallback.replicas) (int .maxReplicas)) }}
autoscaling.keda.fallback.replicas is {{ .keda.fallback.replicas }}: it must be at most maxReplicas, which is {{ .maxReplicas }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Refuses a budget that allows no eviction, because nodes could not be drained. */}}
{{- define "certificate-webhooks.check.disruption" -}}
{{- with .Values.podDisruptionBudget }}
{{- if .enabled }}
{{- $max := include "certificate-webhooks.text" .maxUnavailable }}
{{- $min := include "certificate-webhooks.text" .minAvailable }}
{{- $replicas := include "certificate-webhooks.leastReplicas" $ | int }}
{{- $needed := hasSuffix "%" $min | ternary (div (add (mul (trimSuffix "%" $min) $replicas) 99) 100) (int $min) | int }}
{{- if and $max $min }}
podDisruptionBudget has both maxUnavailable and minAvailable: set one of them to ""
{{- else if not (or $max $min) }}
podDisruptionBudget has neither maxUnavailable nor minAvailable: set one of them
{{- else if has $max (list "0" "0%") }}
podDisruptionBudget.maxUnavailable is {{ $max }}: no node with a pod could be drained. Set it to 1 or more
{{- else if and $min $replicas (ge $needed $replicas) }}
podDisruptionBudget.minAvailable is {{ $min }} of {{ $replicas }} pods: no node with a pod could be drained. Set it lower, or use maxUnavailable
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.topics" -}}
{{- with .Values.strimzi }}
{{- if .enabled }}
{{- if not .cluster }}
strimzi.cluster must be the name of the Kafka resource
{{- end }}
{{- if and .topics.enabled $.Values.topicsJob.enabled }}
strimzi and topicsJob would both create topics: turn off topicsJob.enabled or strimzi.topics.enabled
{{- end }}
{{- $user := include "certificate-webhooks.kafkaUser" $ }}
{{- $login := include "certificate-webhooks.settingText" (dict "root" $ "name" "KAFKA_SASL_USERNAME") }}
{{- if and .user.enabled $login (ne $user $login) }}
settings.KAFKA_SASL_USERNAME is {{ $login }}, but Strimzi creates the user {{ $user }}: change it or strimzi.user.name, or turn off strimzi.user.enabled
{{- end }}
{{- if and .user.enabled (not (regexMatch "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" $user)) }}
settings.KAFKA_SASL_USERNAME is {{ $user }}, which is not a valid name for a KafkaUser: use lower-case letters, digits, - and .
{{- end }}
{{- if and .user.enabled .namespace (ne .namespace $.Release.Namespace) (not (include "certificate-webhooks.usesTokens" (dict "root" $))) }}
{{- range $name, $source := include "certificate-webhooks.sources" $ | fromJson }}
{{- if eq $user ($source.secret | default "") }}
{{ $name }} comes from the Secret {{ $user }}, but Strimzi writes it to the namespace {{ $.Values.strimzi.namespace }}: copy it to {{ $.Release.Namespace }} under another name, and use that one
{{- end }}
{{- end }}
{{- end }}
{{- if gt (int .topics.minInsyncReplicas) (int .topics.replicas) }}
strimzi.topics.minInsyncReplicas is {{ .topics.minInsyncReplicas }}, but there are {{ .topics.replicas }} replicas: every write would fail
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.network" -}}
{{- with .Values.networkPolicy }}
{{- if .enabled }}
{{- if and .kafka.to (not (include "certificate-webhooks.brokerPorts" $ | fromJsonArray)) }}
networkPolicy.kafka.ports must be set, because settings has no KAFKA_BROKERS
{{- end }}
{{- if and (include "certificate-webhooks.isSetAnywhere" (dict "root" $ "name" "DELIVERY_PROXY_URL")) (not .egress) }}
networkPolicy.egress must allow the proxy of DELIVERY_PROXY_URL
{{- end }}
{{- if and (hasKey (include "certificate-webhooks.sources" $ | fromJson) "SCHEMA_REGISTRY_URL") (not .egress) }}
networkPolicy.egress must allow the schema registry, because settings has no SCHEMA_REGISTRY_URL
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.monitors" -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled }}
serviceMonitor and podMonitor would both scrape the pods and count everything twice: turn one off
{{- end }}
{{- end }}

{{- define "certificate-webhooks.check.image" -}}
{{- if and (eq "latest" .Values.image.tag) (not .Values.image.digest) }}
image.tag is latest, which changes over time: use a version or a digest
{{- end }}
{{- end }}
