{{/* Every setting as the service knows it, by name: default, bounds, whether it is a secret or the path of a file. */}}
{{- define "certificate-webhooks.known" -}}
{{- .Files.Get "data/settings.json" -}}
{{- end }}

{{/* A value as the environment takes it. Large numbers come as floats, which would be written with an exponent. */}}
{{- define "certificate-webhooks.text" -}}
{{- if kindIs "slice" . -}}{{ join "," . }}
{{- else if kindIs "float64" . -}}{{ int64 . }}
{{- else if not (kindIs "invalid" .) -}}{{ . }}
{{- end -}}
{{- end }}

{{/* What the values say of a setting. Takes: root, name. */}}
{{- define "certificate-webhooks.given" -}}
{{- include "certificate-webhooks.text" (get (.root.Values.settings | default dict) .name) | trim -}}
{{- end }}

{{/* What a setting comes to, its default included; nothing if a Secret or ConfigMap holds it. Takes: root, name. */}}
{{- define "certificate-webhooks.setting" -}}
{{- $known := index (include "certificate-webhooks.known" .root | fromJson) .name -}}
{{- include "certificate-webhooks.given" . | default $known.default -}}
{{- end }}

{{- define "certificate-webhooks.durationMs" -}}
{{- $unitMs := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 -}}
{{- mul (regexFind "^[0-9]+" .) (get $unitMs (regexFind "[a-z]+$" .)) -}}
{{- end }}

{{/* In the largest unit that leaves a whole number, as the names of the tiers have it. Takes milliseconds. */}}
{{- define "certificate-webhooks.duration" -}}
{{- $ms := int64 . -}}
{{- if not (mod $ms 3600000) -}}{{ div $ms 3600000 }}h
{{- else if not (mod $ms 60000) -}}{{ div $ms 60000 }}m
{{- else if not (mod $ms 1000) -}}{{ div $ms 1000 }}s
{{- else -}}{{ $ms }}ms
{{- end -}}
{{- end }}

{{/* The items of a setting that is a list. Takes: root, name. */}}
{{- define "certificate-webhooks.items" -}}
{{- $items := list -}}
{{- range splitList "," (include "certificate-webhooks.setting" .) -}}
{{- if trim . -}}{{- $items = append $items (trim .) -}}{{- end -}}
{{- end -}}
{{- toJson $items -}}
{{- end }}
