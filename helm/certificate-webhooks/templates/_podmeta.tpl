{{/* The labels of a pod. Takes: root, component. */}}
{{- define "certificate-webhooks.podLabels" -}}
{{- $own := include "certificate-webhooks.releaseLabels" .root | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/component" .component -}}
{{- mergeOverwrite (dict) .root.Values.commonLabels .root.Values.podLabels $own | toYaml -}}
{{- end }}

{{/* The annotations of a pod. A checksum restarts the pods if the chart's own certificates change. */}}
{{- define "certificate-webhooks.podAnnotations" -}}
{{- $own := dict "kubectl.kubernetes.io/default-container" "certificate-webhooks" -}}
{{- with include "certificate-webhooks.ownFiles" . | fromJson -}}
{{- $_ := set $own "checksum/files" (toJson . | sha256sum) -}}
{{- end -}}
{{- mergeOverwrite (dict) .Values.commonAnnotations $own .Values.podAnnotations | toYaml -}}
{{- end }}

{{/* The certificates written in the values, by setting. */}}
{{- define "certificate-webhooks.ownFiles" -}}
{{- $files := dict -}}
{{- range $name, $source := .Values.settingsFrom -}}
{{- if $source -}}
{{- with $source.content -}}{{- $_ := set $files $name . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end }}
