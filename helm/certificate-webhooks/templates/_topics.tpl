{{/* The certificate topics without their event types, as JSON. */}}
{{- define "certificate-webhooks.certificateTopics" -}}
{{- $topics := list -}}
{{- range include "certificate-webhooks.items" (dict "root" . "name" "CERTIFICATE_TOPICS") | fromJsonArray -}}
{{- $topics = append $topics (splitList "=" . | first) -}}
{{- end -}}
{{- toJson $topics -}}
{{- end }}

{{/* The topic of the webhook configurations. Empty if they come from files. */}}
{{- define "certificate-webhooks.configurationsTopic" -}}
{{- $source := include "certificate-webhooks.setting" (dict "root" . "name" "WEBHOOK_CONFIGURATIONS") -}}
{{- if not (or .Values.webhookConfigurations.secret .Values.webhookConfigurations.configMap) -}}
{{- if hasPrefix "kafka:" $source }}{{ trimPrefix "kafka:" $source }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "certificate-webhooks.tierTopics" -}}
{{- $prefix := include "certificate-webhooks.setting" (dict "root" . "name" "RETRY_TOPIC_PREFIX") -}}
{{- $topics := list -}}
{{- range include "certificate-webhooks.items" (dict "root" . "name" "RETRY_DELAYS") | fromJsonArray -}}
{{- $delay := include "certificate-webhooks.durationMs" . | include "certificate-webhooks.duration" -}}
{{- $topics = append $topics (printf "%s.%s" $prefix $delay) -}}
{{- end -}}
{{- toJson $topics -}}
{{- end }}

{{/* Every topic that the service needs, as JSON: {topic, role}. */}}
{{- define "certificate-webhooks.topics" -}}
{{- $topics := list -}}
{{- range include "certificate-webhooks.certificateTopics" . | fromJsonArray -}}
{{- $topics = append $topics (dict "topic" . "role" "certificates") -}}
{{- end -}}
{{- with include "certificate-webhooks.configurationsTopic" . -}}
{{- $topics = append $topics (dict "topic" . "role" "configurations") -}}
{{- end -}}
{{- range include "certificate-webhooks.tierTopics" . | fromJsonArray -}}
{{- $topics = append $topics (dict "topic" . "role" "tiers") -}}
{{- end -}}
{{- $deadLetters := include "certificate-webhooks.setting" (dict "root" . "name" "DEAD_LETTER_TOPIC") -}}
{{- $topics = append $topics (dict "topic" $deadLetters "role" "deadLetters") -}}
{{- with include "certificate-webhooks.setting" (dict "root" . "name" "RESULTS_TOPIC") -}}
{{- $topics = append $topics (dict "topic" . "role" "results") -}}
{{- end -}}
{{- toJson $topics -}}
{{- end }}
