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
{{- if or (eq "oauthbearer" (get $settings "KAFKA_SASL_MECHANISM" | default "" | toString)) (get $settings "KAFKA_OAUTH_CLIENT_ID") (get $otherSources "KAFKA_OAUTH_CLIENT_ID") (has "KAFKA_OAUTH_CLIENT_ID" $keys) -}}
{{- $requiredBy = dict "KAFKA_OAUTH_CLIENT_SECRET" "KAFKA_SASL_MECHANISM" "SCHEMA_REGISTRY_PASSWORD" "SCHEMA_REGISTRY_USERNAME" -}}
{{- end -}}
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

{{/* "true" if the login is one with tokens. A mechanism in a Secret or ConfigMap is not known, but its variables are. Takes: root. */}}
{{- define "certificate-webhooks.usesTokens" -}}
{{- $mechanism := include "certificate-webhooks.settingText" (dict "root" .root "name" "KAFKA_SASL_MECHANISM") -}}
{{- $isUsed := eq "oauthbearer" $mechanism -}}
{{- if not $mechanism -}}
{{- range list "KAFKA_OAUTH_TOKEN_URL" "KAFKA_OAUTH_CLIENT_ID" "KAFKA_OAUTH_CLIENT_SECRET" "KAFKA_OAUTH_SCOPE" -}}
{{- if include "certificate-webhooks.isSetAnywhere" (dict "root" $.root "name" .) -}}{{- $isUsed = true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $isUsed }}true{{ end -}}
{{- end }}
