{{/* The common part of ServiceMonitor and PodMonitor. The job always has the chart's name, not the release's. */}}
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
{{- with .scrapeClass }}
scrapeClass: {{ . }}
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
  {{- if ne .scheme "http" }}
  scheme: {{ .scheme }}
  {{- end }}
  {{- range $field := list "tlsConfig" "relabelings" "metricRelabelings" }}
  {{- with get $.Values.serviceMonitor $field }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}
{{- end }}
