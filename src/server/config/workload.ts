import type { EnvironmentReader } from './reader.ts'

export type WorkloadSettings = ReturnType<typeof readWorkload>

const DEFAULT_AUDIENCE = 'svc-control-plane'
const DEFAULT_CREDENTIALS_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Workload tokens are accepted unless switched off; those of pods in a cluster only (it sets KUBERNETES_SERVICE_HOST). */
export function readWorkload(read: EnvironmentReader) {
  const apiServer = readApiServer(read)
  const isEnabled = read.flag('WORKLOAD_IDENTITY_ENABLED', true)
  const audience = read.text('WORKLOAD_AUDIENCE') ?? DEFAULT_AUDIENCE
  return Object.freeze({
    /** Audience that auth-service requires of the token of a pod. Undefined: it accepts none. */
    accepted: isEnabled && apiServer ? { audience, apiServer } : undefined,
    /** Audience that auth-service requires of the token of an app that svc runs as a process. Undefined: none is accepted. */
    hostedAudience: isEnabled ? audience : undefined,
    /** Audience of the token that deployments get. Undefined: they get no token. */
    projectedAudience: (read.textOrEmpty('SVC_WORKLOAD_AUDIENCE') ?? DEFAULT_AUDIENCE) || undefined,
    /** Address of the API server of the cluster this process runs in. Undefined outside of a cluster. */
    apiServer,
    /** Folder with `ca.crt` and `token` of the pod this process runs in. */
    credentialsDir: read.text('SVC_KUBERNETES_CREDENTIALS_DIR') ?? DEFAULT_CREDENTIALS_DIR,
  })
}

function readApiServer(read: EnvironmentReader): string | undefined {
  const host = read.text('KUBERNETES_SERVICE_HOST')
  const port = read.integer('KUBERNETES_SERVICE_PORT_HTTPS', 443, 1, 65_535)
  if (host === undefined) return undefined
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!URL.canParse(url)) read.fault('KUBERNETES_SERVICE_HOST must be an address or a name')
  return url
}
