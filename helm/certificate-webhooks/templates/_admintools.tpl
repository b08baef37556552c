{{/* The values of the service, with the settings, the login and the ServiceAccount of the tools. As JSON. */}}
{{- define "certificate-webhooks.admintoolsValues" -}}
{{- $tools := .Values.admintools -}}
{{- $values := deepCopy .Values -}}
{{- $settings := $values.settings | default dict -}}
{{- $sources := $values.settingsFrom | default dict -}}
{{- range $name, $value := $tools.settings -}}
{{- $_ := set $settings $name $value -}}
{{- $sources = omit $sources $name -}}
{{- end -}}
{{- range empty $tools.existingSecret | ternary list $tools.existingSecretKeys -}}
{{- $settings = omit $settings . (printf "%s_FILE" .) -}}
{{- $_ := set $sources . (dict "secret" $tools.existingSecret "key" .) -}}
{{- end -}}
{{- $keys := list -}}
{{- range $values.existingSecretKeys -}}
{{- if not (or (hasKey $tools.settings .) (hasKey $sources .)) }}{{ $keys = append $keys . }}{{ end -}}
{{- end -}}
{{- $account := $tools.serviceAccount -}}
{{- $name := $account.create | ternary (include "certificate-webhooks.suffixed" (dict "root" . "suffix" "admintools")) "default" -}}
{{- $_ := set $values "settings" $settings -}}
{{- $_ := set $values "settingsFrom" $sources -}}
{{- $_ := set $values "existingSecretKeys" $keys -}}
{{- $_ := set $values "envFrom" (concat $values.envFrom $tools.envFrom) -}}
{{- $_ := set $values "serviceAccount" (dict "create" $account.create "name" ($account.name | default $name)) -}}
{{- toJson $values -}}
{{- end }}

{{/* The problems of the tools' settings that those of the service do not have. */}}
{{- define "certificate-webhooks.check.admintools" -}}
{{- if .Values.admintools.enabled }}
{{- $tools := dict "Values" (include "certificate-webhooks.admintoolsValues" . | fromJson) "Chart" .Chart "Release" .Release "Files" .Files }}
{{- range $check := list "settings" "orderingRules" "variableSets" }}
{{- $known := include (printf "certificate-webhooks.check.%s" $check) $ | splitList "\n" }}
{{- range include (printf "certificate-webhooks.check.%s" $check) $tools | splitList "\n" }}
{{- if not (has . $known) }}
for admintools: {{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
