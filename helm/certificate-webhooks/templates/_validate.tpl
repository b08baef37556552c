{{/* Refuses values that can't work together, all of them at once, each with what to change. */}}
{{- define "certificate-webhooks.validate" -}}
{{- $problems := list -}}
{{- range $check := list "settings" "orders" "together" "sources" "topicRoles" "replicas" "disruption" "topics" "network" "monitors" "image" -}}
{{- range splitList "\n" (include (printf "certificate-webhooks.check.%s" $check) $) -}}
{{- with trim . -}}{{- $problems = append $problems (printf "  - %s" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $problems -}}
{{- fail (printf "\n\nThese values of certificate-webhooks can't work:\n%s\n" (join "\n" .)) -}}
{{- end -}}
{{- end }}
