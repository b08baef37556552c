{{- define "certificate-webhooks.filesPath" -}}/etc/certificate-webhooks/files{{- end }}
{{- define "certificate-webhooks.foldersPath" -}}/etc/certificate-webhooks/folders{{- end }}
{{- define "certificate-webhooks.webhooksPath" -}}/etc/certificate-webhooks/webhooks{{- end }}

{{/*
The environment of the container: settings, settings from Secrets and ConfigMaps, then extraEnv. The Service resolves to all
pods, so the command `endpoints` asks it by default.
*/}}
{{- define "certificate-webhooks.env" -}}
{{- $root := . -}}
{{- $known := include "certificate-webhooks.known" . | fromJson -}}
{{- range $name, $_ := .Values.settings }}
{{- with include "certificate-webhooks.settingText" (dict "root" $root "name" $name) }}
- name: {{ $name }}
  {{- /* Kubernetes expands $(NAME), and reads $$ as $. */}}
  value: {{ replace "$" "$$" . | quote }}
{{- end }}
{{- end }}
{{- if not (include "certificate-webhooks.isSet" (dict "root" . "name" "ENDPOINTS_OF")) }}
- name: ENDPOINTS_OF
  value: {{ include "certificate-webhooks.fullname" . }}:{{ include "certificate-webhooks.setting" (dict "root" . "name" "HTTP_PORT") }}
{{- end }}
{{- range $name, $source := include "certificate-webhooks.sources" . | fromJson }}
{{- $path := printf "%s/%s" (include (empty $source.key | ternary "certificate-webhooks.foldersPath" "certificate-webhooks.filesPath") $root) $name }}
{{- if (get $known $name).secret }}
- name: {{ $name }}_FILE
  value: {{ $path }}
{{- else if (get $known $name).file }}
- name: {{ $name }}
  value: {{ $path }}
{{- else }}
- name: {{ $name }}
  valueFrom:
    {{ empty $source.secret | ternary "configMapKeyRef" "secretKeyRef" }}:
      name: {{ $source.secret | default $source.configMap }}
      key: {{ $source.key }}
{{- end }}
{{- end }}
{{- if or .Values.webhookConfigurations.secret .Values.webhookConfigurations.configMap }}
- name: WEBHOOK_CONFIGURATIONS
  value: file:{{ include "certificate-webhooks.webhooksPath" . }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.volumeMounts" -}}
{{- if include "certificate-webhooks.fileItems" . }}
- name: files
  mountPath: {{ include "certificate-webhooks.filesPath" . }}
  readOnly: true
{{- end }}
{{- range $name, $_ := include "certificate-webhooks.folderSources" . | fromJson }}
- name: {{ include "certificate-webhooks.folderVolume" $name }}
  mountPath: {{ include "certificate-webhooks.foldersPath" $ }}/{{ $name }}
  readOnly: true
{{- end }}
{{- if or .Values.webhookConfigurations.secret .Values.webhookConfigurations.configMap }}
- name: webhooks
  mountPath: {{ include "certificate-webhooks.webhooksPath" . }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Mounts whole folders: a file mounted by subPath is not updated when its Secret changes. */}}
{{- define "certificate-webhooks.volumes" -}}
{{- with include "certificate-webhooks.fileItems" . | trim }}
- name: files
  projected:
    sources:
      {{- . | nindent 6 }}
{{- end }}
{{- range $name, $source := include "certificate-webhooks.folderSources" . | fromJson }}
- name: {{ include "certificate-webhooks.folderVolume" $name }}
  projected:
    sources:
      - {{ empty $source.secret | ternary "configMap" "secret" }}:
          name: {{ $source.secret | default $source.configMap }}
{{- end }}
{{- with .Values.webhookConfigurations }}
{{- if .secret }}
- name: webhooks
  secret:
    secretName: {{ .secret }}
{{- else if .configMap }}
- name: webhooks
  configMap:
    name: {{ .configMap }}
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "certificate-webhooks.fileItems" -}}
{{- $known := include "certificate-webhooks.known" . | fromJson -}}
{{- range $name, $source := include "certificate-webhooks.sources" . | fromJson }}
{{- if and $source.key (or (get $known $name).secret (get $known $name).file) }}
- {{ empty $source.secret | ternary "configMap" "secret" }}:
    name: {{ $source.secret | default $source.configMap }}
    items:
      - key: {{ $source.key }}
        path: {{ $name }}
{{- end }}
{{- end }}
{{- end }}

{{/* The sources without a key, by setting: all their keys are mounted, each in a folder of its own. As JSON. */}}
{{- define "certificate-webhooks.folderSources" -}}
{{- $folders := dict -}}
{{- range $name, $source := include "certificate-webhooks.sources" . | fromJson -}}
{{- if not $source.key }}{{ $_ := set $folders $name $source }}{{ end -}}
{{- end -}}
{{- toJson $folders -}}
{{- end }}

{{/* The name of the volume for a setting's folder. Takes the setting's name. */}}
{{- define "certificate-webhooks.folderVolume" -}}{{ lower . | replace "_" "-" }}{{- end }}
