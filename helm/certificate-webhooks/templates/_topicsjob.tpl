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
    restartPolicy: Never
    {{- include "certificate-webhooks.podSpec" $ | nindent 4 }}
    containers:
      - name: topics
        args: [topics, --create]
        {{- include "certificate-webhooks.container" $ | nindent 8 }}
        resources:
          {{- toYaml .resources | nindent 10 }}
    {{- with include "certificate-webhooks.volumes" $ | trim }}
    volumes:
      {{- . | nindent 6 }}
    {{- end }}
{{- end -}}
{{- end }}
