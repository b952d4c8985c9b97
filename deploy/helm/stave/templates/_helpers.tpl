{{- define "stave.name" -}}
{{- if contains "stave" .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-stave" .Release.Name }}{{ end -}}
{{- end -}}

{{- define "stave.selector" -}}
app.kubernetes.io/name: stave
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "stave.labels" -}}
{{ include "stave.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "stave.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest }}{{ printf "%s@%s" $image.repository $image.digest }}{{ else }}{{ printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) }}{{ end -}}
{{- end -}}

{{/* What every pod has. */}}
{{- define "stave.pod" -}}
{{- $values := .root.Values -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with $values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
{{- range $key, $when := dict "topology.kubernetes.io/zone" $values.spread.zone "kubernetes.io/hostname" $values.spread.host }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels: {{ include "stave.selector" $ | nindent 8 }}
    matchLabelKeys: [{{ if eq $.kind "StatefulSet" }}controller-revision-hash{{ else }}pod-template-hash{{ end }}]
{{- end }}
{{- end -}}

{{- define "stave.container" -}}
image: {{ include "stave.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Peers of a rule. An empty list would allow everything. */}}
{{- define "stave.peers" -}}
{{- if not .peers }}{{ fail (printf "networkPolicy.%s.to is required, with networkPolicy.enabled" .name) }}{{ end -}}
{{- toYaml .peers -}}
{{- end -}}

{{/* An entry of `conductors` with the defaults for what it leaves out, as YAML. */}}
{{- define "stave.conductor" -}}
{{- $own := dict "name" .entry.name "drivers" .entry.drivers -}}
{{- range $key, $value := .root.Values.conductorDefaults -}}
{{- $_ := set $own $key (ternary (index $.entry $key) $value (hasKey $.entry $key)) -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{/* The settings of every process, and those of its natsSecret. */}}
{{- define "stave.processEnv" -}}
{{- $values := .root.Values -}}
{{- $nats := $values.nats -}}
- { name: LOG_LEVEL, value: {{ $values.logLevel | quote }} }
- { name: REQUIRE_TLS, value: {{ $values.requireTls | quote }} }
- { name: NATS_URL, value: {{ required "nats.url is required" $nats.url | quote }} }
{{- if $nats.caSecret }}
- { name: NATS_CA_FILE, value: /etc/stave/nats-ca/ca.crt }
{{- end }}
{{- if ne $nats.auth "none" }}
{{- $_ := required (printf "natsSecret of %s is required with nats.auth: %s" .component $nats.auth) .natsSecret }}
{{- end }}
{{- if eq $nats.auth "nkey" }}
- { name: NATS_NKEY_FILE, value: /etc/stave/nats/seed }
{{- else if eq $nats.auth "certificate" }}
- { name: NATS_CERT_FILE, value: /etc/stave/nats/tls.crt }
- { name: NATS_KEY_FILE, value: /etc/stave/nats/tls.key }
{{- else if eq $nats.auth "password" }}
- { name: NATS_USER, value: {{ required "nats.user is required with nats.auth: password" $nats.user | quote }} }
- { name: NATS_PASSWORD_FILE, value: /etc/stave/nats/password }
{{- else if eq $nats.auth "token" }}
- { name: NATS_TOKEN_FILE, value: /etc/stave/nats/token }
{{- end }}
{{- if .certificate }}
- { name: TLS_CERT_FILE, value: /etc/stave/tls/tls.crt }
- { name: TLS_KEY_FILE, value: /etc/stave/tls/tls.key }
{{- end }}
{{- end -}}

{{/* The settings of what reads the event store. */}}
{{- define "stave.eventStoreEnv" -}}
{{- with .root.Values.eventStore }}
- name: EVENTSTORE_URL
  valueFrom: { secretKeyRef: { name: {{ required "eventStore.urlSecret is required" .urlSecret }}, key: url } }
{{- with .streamPrefix }}
- { name: EVENTSTORE_STREAM_PREFIX, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "stave.settingsEnv" -}}
{{- range $name, $value := . }}
{{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
- { name: {{ $name }}, value: {{ $value | int64 | toString | quote }} }
{{- else }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "stave.processMounts" -}}
{{- if .root.Values.nats.caSecret }}
- { name: nats-ca, mountPath: /etc/stave/nats-ca, readOnly: true }
{{- end }}
{{- if ne .root.Values.nats.auth "none" }}
- { name: nats, mountPath: /etc/stave/nats, readOnly: true }
{{- end }}
{{- if .certificate }}
- { name: tls, mountPath: /etc/stave/tls, readOnly: true }
{{- end }}
{{- if and .stores .root.Values.eventStore.filesSecret }}
- { name: eventstore, mountPath: /etc/stave/eventstore, readOnly: true }
{{- end }}
{{- if and .documents .root.Values.mongodb.filesSecret }}
- { name: mongodb, mountPath: /etc/stave/mongodb, readOnly: true }
{{- end }}
- { name: tmp, mountPath: /tmp }
{{- end -}}

{{- define "stave.processVolumes" -}}
{{- with .root.Values.nats.caSecret }}
- { name: nats-ca, secret: { secretName: {{ . }}, defaultMode: 0440, items: [{ key: ca.crt, path: ca.crt }] } }
{{- end }}
{{- if ne .root.Values.nats.auth "none" }}
- { name: nats, secret: { secretName: {{ .natsSecret }}, defaultMode: 0440 } }
{{- end }}
{{- with .certificate }}
- { name: tls, secret: { secretName: {{ . }}, defaultMode: 0440 } }
{{- end }}
{{- if .stores }}
{{- with .root.Values.eventStore.filesSecret }}
- { name: eventstore, secret: { secretName: {{ . }}, defaultMode: 0440 } }
{{- end }}
{{- end }}
{{- if .documents }}
{{- with .root.Values.mongodb.filesSecret }}
- { name: mongodb, secret: { secretName: {{ . }}, defaultMode: 0440 } }
{{- end }}
{{- end }}
- { name: tmp, emptyDir: { sizeLimit: 64Mi } }
{{- end -}}

{{/* started: the path that answers when the process has folded the log, or is registered. */}}
{{- define "stave.probes" -}}
{{- $scheme := ternary "HTTPS" "HTTP" (not (empty .certificate)) -}}
startupProbe:
  httpGet: { path: {{ .started }}, port: {{ .port }}, scheme: {{ $scheme }} }
  periodSeconds: 3
  timeoutSeconds: 2
  failureThreshold: {{ max 1 (div .root.Values.startup.seconds 3) }}
livenessProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }}, scheme: {{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: {{ .live }}, port: {{ .port }}, scheme: {{ $scheme }} }
  periodSeconds: 5
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}

{{- define "stave.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels: {{ include "stave.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{ include "stave.selector" . | nindent 6 }}
{{- end -}}
