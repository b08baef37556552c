{{/* The metadata of an object for Strimzi. Takes: root, name; and annotations. */}}
{{- define "certificate-webhooks.strimziMetadata" -}}
{{- $strimzi := .root.Values.strimzi -}}
{{- $labels := dict "strimzi.io/cluster" $strimzi.cluster -}}
{{- include "certificate-webhooks.metadata" (mergeOverwrite (dict) . (dict "namespace" $strimzi.namespace "labels" $labels)) -}}
{{- end }}

{{/* Users log in by the name of their KafkaUser. */}}
{{- define "certificate-webhooks.kafkaUser" -}}
{{- $login := include "certificate-webhooks.given" (dict "root" . "name" "KAFKA_SASL_USERNAME") -}}
{{- .Values.strimzi.user.name | default $login | default (include "certificate-webhooks.fullname" .) -}}
{{- end }}

{{/* The name of an object for a topic: its own if Kubernetes takes that, else one that no other topic gets. */}}
{{- define "certificate-webhooks.topicObjectName" -}}
{{- if regexMatch "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" . -}}
{{- . -}}
{{- else -}}
{{- printf "%s-%s" (lower . | replace "_" "-" | trimAll ".-" | trunc 200 | trimAll ".-" | default "topic") (sha256sum . | trunc 8) -}}
{{- end -}}
{{- end }}

{{/* What a topic is to be like, by its role. Takes: root, role. The same as `topics --create` makes. */}}
{{- define "certificate-webhooks.topicConfig" -}}
{{- $topics := .root.Values.strimzi.topics -}}
{{- $own := dict "cleanup.policy" (eq .role "configurations" | ternary "compact" "delete") "min.insync.replicas" (int $topics.minInsyncReplicas) -}}
{{- if has .role (list "tiers" "deadLetters") -}}
{{- /* The age of a delivery and an outage of a week fit in; so does a certificate of the largest size with its envelope. */ -}}
{{- $dayMs := 86400000 -}}
{{- $maxAgeMs := include "certificate-webhooks.durationMs" (include "certificate-webhooks.setting" (dict "root" .root "name" "DELIVERY_MAX_AGE")) -}}
{{- $usualMs := mul (eq .role "tiers" | ternary 14 90) $dayMs -}}
{{- $certificateBytes := get ($topics.config.certificates | default dict) "max.message.bytes" | default 1048588 -}}
{{- $_ := set $own "retention.ms" (max $usualMs (add $maxAgeMs (mul 7 $dayMs))) -}}
{{- $_ := set $own "retention.bytes" -1 -}}
{{- $_ := set $own "max.message.bytes" (add $certificateBytes 65536) -}}
{{- end -}}
{{- mergeOverwrite (dict) $own (get $topics.config .role | default dict) | toYaml -}}
{{- end }}

{{/* Takes: type, name, patternType, operations. */}}
{{- define "certificate-webhooks.acl" -}}
- resource:
    type: {{ .type }}
    name: {{ quote .name }}
    patternType: {{ .patternType }}
  operations:
    {{- toYaml .operations | nindent 4 }}
{{- end }}
