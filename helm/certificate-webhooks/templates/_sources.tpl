{{/* Where settings are that the values do not hold, by name: {secret or configMap, key}. As JSON. */}}
{{- define "certificate-webhooks.sources" -}}
{{- $sources := dict -}}
{{- range include "certificate-webhooks.existingSecretKeys" . | fromJsonArray -}}
{{- $_ := set $sources . (dict "secret" $.Values.existingSecret "key" .) -}}
{{- end -}}
{{- range $name, $source := .Values.settingsFrom -}}
{{- if $source -}}
{{- $own := dict "configMap" (include "certificate-webhooks.suffixed" (dict "root" $ "suffix" "files")) "key" $name -}}
{{- $_ := set $sources $name (empty $source.content | ternary $source $own) -}}
{{- end -}}
{{- end -}}
{{- toJson $sources -}}
{{- end }}

{{/* The keys of the existing Secret in use: those that are named, and the passwords that other settings ask for. */}}
{{- define "certificate-webhooks.existingSecretKeys" -}}
{{- $settings := .Values.settings | default dict -}}
{{- $elsewhere := .Values.settingsFrom | default dict -}}
{{- $keys := .Values.existingSecretKeys | default list -}}
{{- $asks := dict "KAFKA_SASL_PASSWORD" "KAFKA_SASL_MECHANISM" "SCHEMA_REGISTRY_PASSWORD" "SCHEMA_REGISTRY_USERNAME" -}}
{{- range $password, $by := $asks -}}
{{- $isAsked := or (get $settings $by) (get $elsewhere $by) (has $by $keys) -}}
{{- if and $isAsked (not (or (get $settings (printf "%s_FILE" $password)) (get $elsewhere $password))) -}}
{{- $keys = append $keys $password -}}
{{- end -}}
{{- end -}}
{{- empty .Values.existingSecret | ternary list (uniq $keys) | toJson -}}
{{- end }}

{{/* Whether a setting is in the values or elsewhere. Takes: root, name. */}}
{{- define "certificate-webhooks.isGiven" -}}
{{- $sources := include "certificate-webhooks.sources" .root | fromJson -}}
{{- if or (include "certificate-webhooks.given" .) (hasKey $sources .name) }}true{{ end -}}
{{- end }}
