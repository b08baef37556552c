{{/* The metadata of an object for Strimzi. Takes: root, name; optional: annotations. */}}
{{- define "certificate-webhooks.strimziMetadata" -}}
{{- $strimzi := .root.Values.strimzi -}}
{{- $labels := dict "strimzi.io/cluster" $strimzi.cluster -}}
{{- include "certificate-webhooks.metadata" (mergeOverwrite (dict) . (dict "namespace" $strimzi.namespace "labels" $labels)) -}}
{{- end }}

{{/* The name of the KafkaUser, which is also its login name. */}}
{{- define "certificate-webhooks.kafkaUser" -}}
{{- $login := include "certificate-webhooks.settingText" (dict "root" . "name" "KAFKA_SASL_USERNAME") -}}
{{- .Values.strimzi.user.name | default $login | default (include "certificate-webhooks.fullname" .) -}}
{{- end }}

{{/* The name of a KafkaTopic: the topic's name if Kubernetes allows it, otherwise a unique one. */}}
{{- define "certificate-webhooks.topicObjectName" -}}
{{- if regexMatch "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$" . -}}
{{- . -}}
{{- else -}}
{{- printf "%s-%s" (lower . | replace "_" "-" | trimAll ".-" | trunc 200 | trimAll ".-" | default "topic") (sha256sum . | trunc 8) -}}
{{- end -}}
{{- end }}

{{/* The configuration of a topic by its role, the same as that of `topics --create`. Takes: root, role. */}}
{{- define "certificate-webhooks.topicConfig" -}}
{{- $topics := .root.Values.strimzi.topics -}}
{{- $own := dict "cleanup.policy" (eq .role "configurations" | ternary "compact" "delete") "min.insync.replicas" (int $topics.minInsyncReplicas) -}}
{{- if has .role (list "tiers" "deadLetters") -}}
{{- /* Retention covers a delivery's maximum age plus an outage of a week. A maximum-size certificate fits with its envelope, or with its headers and ours. */ -}}
{{- $dayMs := 86400000 -}}
{{- $maxAgeMs := include "certificate-webhooks.durationMs" (include "certificate-webhooks.setting" (dict "root" .root "name" "DELIVERY_MAX_AGE")) -}}
{{- $usualMs := mul (eq .role "tiers" | ternary 14 90) $dayMs -}}
{{- $certificateBytes := get ($topics.config.certificates | default dict) "max.message.bytes" | default 1048588 -}}
{{- $_ := set $own "retention.ms" (max $usualMs (add $maxAgeMs (mul 7 $dayMs))) -}}
{{- $_ := set $own "retention.bytes" -1 -}}
{{- $_ := set $own "max.message.bytes" (add $certificateBytes (eq .role "tiers" | ternary 65536 131072)) -}}
{{- end -}}
{{- if eq .role "results" -}}
{{- $_ := set $own "retention.ms" (mul 14 86400000) -}}
{{- end -}}
{{- mergeOverwrite (dict) $own (get $topics.config .role | default dict) | toYaml -}}
{{- end }}

{{/* An ACL. Takes: type, name, patternType, operations. */}}
{{- define "certificate-webhooks.acl" -}}
- resource:
    type: {{ .type }}
    name: {{ quote .name }}
    patternType: {{ .patternType }}
  operations:
    {{- toYaml .operations | nindent 4 }}
{{- end }}
