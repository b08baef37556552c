{{/*
Gives each value that is null, or that --reuse-values has kept from a chart without it, its default. Helm removes the default of
a value that is null. Two kinds of nulls stay: `replicas`, and members of what is passed on as it is, such as labels or a
strategy. Each file of this folder that renders something begins with this.
*/}}
{{- define "certificate-webhooks.defaults" -}}
{{- $defaults := omit (.Files.Get "data/defaults.json" | fromJson) "replicas" -}}
{{- include "certificate-webhooks.fillIn" (dict "values" .Values "defaults" $defaults) -}}
{{- end }}

{{- define "certificate-webhooks.fillIn" -}}
{{- $passedOn := list "labels" "annotations" "podSecurityContext" "securityContext" "strategy" "resources" "behavior" "fallback" -}}
{{- range $name, $default := .defaults -}}
{{- $value := index $.values $name -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := set $.values $name $default -}}
{{- else if and (kindIs "map" $default) (kindIs "map" $value) (not (has $name $passedOn)) -}}
{{- include "certificate-webhooks.fillIn" (dict "values" $value "defaults" $default) -}}
{{- end -}}
{{- end -}}
{{- end }}
