{{- define "platbook.labels" -}}
app.kubernetes.io/name: platbook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "platbook.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "platbook.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
  - configMapRef:
      name: {{ .Release.Name }}-settings
{{- end }}

{{- define "platbook.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "platbook.container" -}}
image: {{ include "platbook.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "platbook.mounts" -}}
volumeMounts:
  - name: home
    mountPath: /var/lib/platbook
  - name: tmp
    mountPath: /tmp
{{- end }}

{{- define "platbook.volumes" -}}
volumes:
  - name: home
    persistentVolumeClaim:
      claimName: {{ .Release.Name }}-home
  - name: tmp
    emptyDir: {}
{{- end }}
