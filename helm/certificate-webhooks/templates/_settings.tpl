{{/* The metadata of every setting, by name: default, bounds, and whether it is a secret or the path of a file. */}}
{{- define "certificate-webhooks.known" -}}
{{- .Files.Get "data/settings.json" -}}
{{- end }}

{{/* A value as text for the environment. Helm passes large numbers as floats and would print an exponent. */}}
{{- define "certificate-webhooks.text" -}}
{{- if kindIs "slice" . -}}{{ join "," . }}
{{- else if kindIs "float64" . -}}{{ int64 . }}
{{- else if not (kindIs "invalid" .) -}}{{ . }}
{{- end -}}
{{- end }}

{{/* The text of a setting in the values, or nothing. Takes: root, name. */}}
{{- define "certificate-webhooks.settingText" -}}
{{- include "certificate-webhooks.text" (get (.root.Values.settings | default dict) .name) | trim -}}
{{- end }}

{{/* The text of a setting or its default. Empty if a Secret or ConfigMap has it. Takes: root, name. */}}
{{- define "certificate-webhooks.setting" -}}
{{- $known := index (include "certificate-webhooks.known" .root | fromJson) .name -}}
{{- include "certificate-webhooks.settingText" . | default $known.default -}}
{{- end }}

{{- define "certificate-webhooks.durationMs" -}}
{{- $unitMs := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 -}}
{{- mul (regexFind "^[0-9]+" .) (get $unitMs (regexFind "[a-z]+$" .)) -}}
{{- end }}

{{/* A duration in its largest whole unit, as in the names of retry topics. Takes milliseconds. */}}
{{- define "certificate-webhooks.duration" -}}
{{- $ms := int64 . -}}
{{- if not (mod $ms 3600000) -}}{{ div $ms 3600000 }}h
{{- else if not (mod $ms 60000) -}}{{ div $ms 60000 }}m
{{- else if not (mod $ms 1000) -}}{{ div $ms 1000 }}s
{{- else -}}{{ $ms }}ms
{{- end -}}
{{- end }}

{{/* The items of a list setting, as JSON. Takes: root, name. */}}
{{- define "certificate-webhooks.items" -}}
{{- $items := list -}}
{{- range splitList "," (include "certificate-webhooks.setting" .) -}}
{{- if trim . -}}{{- $items = append $items (trim .) -}}{{- end -}}
{{- end -}}
{{- toJson $items -}}
{{- end }}
