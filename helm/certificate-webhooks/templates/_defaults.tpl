{{/*
Gives each value that is null, or that --reuse-values has kept from a chart without it, its default. Helm removes the default of
a value that is null. A label, an annotation or a field of a security context that is null stays removed. Each file of this
folder that renders something begins with this.
*/}}
{{- define "certificate-webhooks.defaults" -}}
{{- include "certificate-webhooks.fillIn" (dict "values" .Values "defaults" (.Files.Get "data/defaults.json" | fromJson)) -}}
{{- end }}

{{- define "certificate-webhooks.fillIn" -}}
{{- range $name, $default := .defaults -}}
{{- $value := index $.values $name -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := set $.values $name $default -}}
{{- else if and (kindIs "map" $default) (kindIs "map" $value) (not (has $name (list "labels" "annotations" "podSecurityContext" "securityContext"))) -}}
{{- include "certificate-webhooks.fillIn" (dict "values" $value "defaults" $default) -}}
{{- end -}}
{{- end -}}
{{- end }}
