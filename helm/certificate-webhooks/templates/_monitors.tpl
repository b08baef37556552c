{{/* The common part of ServiceMonitor and PodMonitor. */}}
{{- define "certificate-webhooks.monitorSpec" -}}
{{- with .Values.serviceMonitor -}}
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
  {{- with .tlsConfig }}
  tlsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  relabelings:
    {{- /* The operator's own default is unique for a ServiceMonitor, but not for a PodMonitor. The rules select by it. */}}
    - targetLabel: job
      replacement: {{ include "certificate-webhooks.fullname" $ }}
    {{- with .relabelings }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .metricRelabelings }}
  metricRelabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end }}
