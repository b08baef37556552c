{{/* Each setting must have one source, and each Secret must have a use. */}}
{{- define "certificate-webhooks.check.sources" -}}
{{- $root := . -}}
{{- $known := include "certificate-webhooks.known" . | fromJson -}}
{{- range $name, $_ := include "certificate-webhooks.sources" . | fromJson }}
{{- range $key := list $name (printf "%s_FILE" $name) }}
{{- if include "certificate-webhooks.settingText" (dict "root" $root "name" $key) }}
{{ $name }} is set twice: in settings.{{ $key }} and in {{ has $name (include "certificate-webhooks.existingSecretKeys" $root | fromJsonArray) | ternary "existingSecret" "settingsFrom" }}
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.existingSecretKeys }}
{{- if get ($root.Values.settingsFrom | default dict) . }}
{{ . }} is set twice: in existingSecretKeys and in settingsFrom
{{- end }}
{{- end }}
{{- if and .Values.existingSecretKeys (not .Values.existingSecret) }}
existingSecretKeys needs a Secret: set existingSecret to its name
{{- end }}
{{- if and .Values.existingSecret (not (include "certificate-webhooks.existingSecretKeys" . | fromJsonArray)) }}
existingSecret is {{ .Values.existingSecret }}, but none of its keys is used: list them in existingSecretKeys
{{- end }}
{{- range $name, $source := .Values.settingsFrom }}
{{- if $source }}
{{- $ways := list }}
{{- range $way := list "secret" "configMap" "content" }}
{{- if get $source $way }}{{ $ways = append $ways $way }}{{ end }}
{{- end }}
{{- $isFolder := and (get (get $known $name | default dict) "folder") (not $source.key) (not $source.content) }}
{{- if or (ne 1 (len $ways)) (and (not $isFolder) (eq (empty $source.key) (empty $source.content))) }}
settingsFrom.{{ $name }} must have either a secret or a configMap with a key, or the content
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.webhookConfigurations }}
{{- if and .secret .configMap }}
webhookConfigurations has both a secret and a configMap: use one
{{- end }}
{{- if and (or .secret .configMap) (include "certificate-webhooks.settingText" (dict "root" $root "name" "WEBHOOK_CONFIGURATIONS")) }}
settings.WEBHOOK_CONFIGURATIONS and webhookConfigurations are both set: use one
{{- end }}
{{- end }}
{{- end }}

{{/* No topic may have two roles. */}}
{{- define "certificate-webhooks.check.topicRoles" -}}
{{- $prefix := include "certificate-webhooks.setting" (dict "root" . "name" "RETRY_TOPIC_PREFIX") | printf "%s." }}
{{- $seen := list }}
{{- range include "certificate-webhooks.topics" . | fromJsonArray }}
{{- if ne "tiers" .role }}
{{- if has .topic $seen }}
the topic {{ .topic }} has two roles in settings: use a separate topic for each role
{{- end }}
{{- if and (hasPrefix $prefix .topic) (regexMatch "^[0-9]+(ms|s|m|h)$" (trimPrefix $prefix .topic)) }}
the topic {{ .topic }} has the name of a retry topic because of settings.RETRY_TOPIC_PREFIX: change one of them
{{- end }}
{{- $seen = append $seen .topic }}
{{- end }}
{{- end }}
{{- end }}
