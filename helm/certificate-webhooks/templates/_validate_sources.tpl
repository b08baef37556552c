{{/* Each setting comes from one place, and what a Secret is named for is said. */}}
{{- define "certificate-webhooks.check.sources" -}}
{{- $root := . -}}
{{- range $name, $_ := include "certificate-webhooks.sources" . | fromJson }}
{{- range $given := list $name (printf "%s_FILE" $name) }}
{{- if include "certificate-webhooks.given" (dict "root" $root "name" $given) }}
{{ $name }} is given twice: by settings.{{ $given }}, and by {{ has $name (include "certificate-webhooks.existingSecretKeys" $root | fromJsonArray) | ternary "existingSecret" "settingsFrom" }}
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.existingSecretKeys }}
{{- if get ($root.Values.settingsFrom | default dict) . }}
{{ . }} is given twice: by existingSecretKeys and by settingsFrom
{{- end }}
{{- end }}
{{- if and .Values.existingSecretKeys (not .Values.existingSecret) }}
existingSecretKeys names keys of no Secret: set existingSecret to its name
{{- end }}
{{- if and .Values.existingSecret (not (include "certificate-webhooks.existingSecretKeys" . | fromJsonArray)) }}
existingSecret is {{ .Values.existingSecret }}, and nothing of it is used: name its keys in existingSecretKeys
{{- end }}
{{- range $name, $source := .Values.settingsFrom }}
{{- if $source }}
{{- $ways := list }}
{{- range $way := list "secret" "configMap" "content" }}
{{- if get $source $way }}{{ $ways = append $ways $way }}{{ end }}
{{- end }}
{{- if or (ne 1 (len $ways)) (eq (empty $source.key) (empty $source.content)) }}
settingsFrom.{{ $name }} takes either a secret or a configMap, with a key, or the content
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.webhookConfigurations }}
{{- if and .secret .configMap }}
webhookConfigurations names both a secret and a configMap: take one
{{- end }}
{{- if and (or .secret .configMap) (include "certificate-webhooks.given" (dict "root" $root "name" "WEBHOOK_CONFIGURATIONS")) }}
settings.WEBHOOK_CONFIGURATIONS and webhookConfigurations both say where configurations are: take one
{{- end }}
{{- end }}
{{- end }}

{{/* No topic has two roles. */}}
{{- define "certificate-webhooks.check.topicRoles" -}}
{{- $prefix := include "certificate-webhooks.setting" (dict "root" . "name" "RETRY_TOPIC_PREFIX") | printf "%s." }}
{{- $seen := list }}
{{- range include "certificate-webhooks.topics" . | fromJsonArray }}
{{- if ne "tiers" .role }}
{{- if has .topic $seen }}
the topic {{ .topic }} has two roles in settings: give each role a topic of its own
{{- end }}
{{- if and (hasPrefix $prefix .topic) (regexMatch "^[0-9]+(ms|s|m|h)$" (trimPrefix $prefix .topic)) }}
the topic {{ .topic }} is called like a tier by settings.RETRY_TOPIC_PREFIX: change one of them
{{- end }}
{{- $seen = append $seen .topic }}
{{- end }}
{{- end }}
{{- end }}
