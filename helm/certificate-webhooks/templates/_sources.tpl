{{/* The sources of settings in Secrets and ConfigMaps, by name: {secret or configMap, key}. As JSON. */}}
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

{{/* The keys of the existing Secret to use: the listed ones, and the passwords that other settings require. */}}
{{- define "certificate-webhooks.existingSecretKeys" -}}
{{- $settings := .Values.settings | default dict -}}
{{- $otherSources := .Values.settingsFrom | default dict -}}
{{- $keys := .Values.existingSecretKeys | default list -}}
{{- $requiredBy := dict "KAFKA_SASL_PASSWORD" "KAFKA_SASL_MECHANISM" "SCHEMA_REGISTRY_PASSWORD" "SCHEMA_REGISTRY_USERNAME" -}}
{{- range $password, $by := $requiredBy -}}
{{- $isRequired := or (get $settings $by) (get $otherSources $by) (has $by $keys) -}}
{{- if and $isRequired (not (or (get $settings (printf "%s_FILE" $password)) (get $otherSources $password))) -}}
{{- $keys = append $keys $password -}}
{{- end -}}
{{- end -}}
{{- empty .Values.existingSecret | ternary list (uniq $keys) | toJson -}}
{{- end }}

{{/* "true" if a setting is in the values, or has a source in a Secret or ConfigMap. Takes: root, name. */}}
{{- define "certificate-webhooks.isSet" -}}
{{- $sources := include "certificate-webhooks.sources" .root | fromJson -}}
{{- if or (include "certificate-webhooks.settingText" .) (hasKey $sources .name) }}true{{ end -}}
{{- end }}
