{{/* What a ServiceMonitor and a PodMonitor have in common. The job is called like the chart, whatever the release is. */}}
{{- define "certificate-webhooks.monitorSpec" -}}
{{- with .Values.serviceMonitor -}}
jobLabel: app.kubernetes.io/name
namespaceSelector:
  matchNames:
    - {{ $.Release.Namespace }}
{{- with int .sampleLimit }}
sampleLimit: {{ . }}
{{- end }}
{{- with int .labelLimit }}
labelLimit: {{ . }}
{{- end }}
{{- end -}}
{{- end }}

{{- define "certificate-webhooks.monitorEndpoint" -}}
{{- with .Values.serviceMonitor -}}
- port: http
  path: /metrics
  {{- with .interval }}
  interval: {{ . }}
  {{- end }}
  {{- with .scrapeTimeout }}
  scrapeTimeout: {{ . }}
  {{- end }}
  honorLabels: {{ .honorLabels }}
  {{- range $field := list "relabelings" "metricRelabelings" }}
  {{- with get $.Values.serviceMonitor $field }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}
{{- end }}
