{{- define "certificate-webhooks.topicsJobSpec" -}}
{{- with .Values.topicsJob -}}
backoffLimit: {{ int .backoffLimit }}
activeDeadlineSeconds: {{ int .activeDeadlineSeconds }}
{{- with include "certificate-webhooks.text" .ttlSecondsAfterFinished }}
ttlSecondsAfterFinished: {{ . }}
{{- end }}
{{- /* Fails at once on wrong settings: a retry would not help. */}}
podFailurePolicy:
  rules:
    - action: FailJob
      onExitCodes:
        containerName: topics
        operator: In
        values: [2]
template:
  metadata:
    labels:
      {{- include "certificate-webhooks.podLabels" (dict "root" $ "component" "topics") | nindent 6 }}
    {{- with mergeOverwrite (dict) $.Values.commonAnnotations $.Values.podAnnotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    {{- include "certificate-webhooks.commandPodSpec" (dict "root" $ "args" (list "topics" "--create")) | nindent 4 }}
{{- end -}}
{{- end }}
