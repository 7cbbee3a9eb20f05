{{- define "regime.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "regime.selector" -}}
app.kubernetes.io/name: regime
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "regime.labels" -}}
{{ include "regime.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "regime.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "regime.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* What a daemon's container has in either role; the caller adds what differs. */ -}}
{{- define "regime.container" -}}
name: regimed
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef:
      name: {{ include "regime.name" . }}-settings
ports:
  - name: http
    containerPort: 8080
startupProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 1
  failureThreshold: 120
livenessProbe:
  httpGet: {path: /healthz, port: http}
  periodSeconds: 10
  timeoutSeconds: 3
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
  timeoutSeconds: 2
securityContext:
  {{- include "regime.containerSecurity" . | nindent 2 }}
{{- end -}}

{{- define "regime.restore" -}}
name: restore
image: {{ .Values.replica.image | quote }}
args: [restore, -if-db-not-exists, -if-replica-exists, -config, /etc/regime/litestream.yml, /data/regime.db]
{{ include "regime.replicaContainer" . }}
{{- end -}}

{{- define "regime.replicaContainer" -}}
envFrom:
  - secretRef:
      name: {{ .Values.replica.secretName }}
resources:
  {{- toYaml .Values.replica.resources | nindent 2 }}
securityContext:
  {{- include "regime.containerSecurity" . | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: litestream
    mountPath: /etc/regime
{{- end -}}
