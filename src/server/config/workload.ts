export type WorkloadSettings = {
  /** The audience that auth-service asks of a workload token; undefined: it takes none. */
  accepted: { audience: string; apiServer: string } | undefined
  /** The audience that deploy-api has projected into deployments; undefined: they get no token. */
  projectedAudience: string | undefined
  /** Holds `ca.crt` and `token` of the pod we run in. */
  credentialsDir: string
}

type Read = {
  text(name: string): string | undefined
  given(name: string, fallback: string): string
  integer(name: string, fallback: number, min: number, max: number): number
  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T
  fault(text: string): void
}

export const WORKLOAD_VARIABLES = ['SVC_WORKLOAD_AUDIENCE', 'SVC_KUBERNETES_CREDENTIALS_DIR'] as const

const AUDIENCE = 'svc-control-plane'
const CREDENTIALS_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Taken in a cluster, which tells each pod its address, unless switched off. */
export function readWorkload(read: Read): Readonly<WorkloadSettings> {
  const apiServer = readApiServer(read)
  const wanted = read.oneOf('WORKLOAD_IDENTITY_ENABLED', ['true', 'false'], apiServer ? 'true' : 'false') === 'true'
  if (wanted && !apiServer) read.fault('WORKLOAD_IDENTITY_ENABLED needs a cluster: KUBERNETES_SERVICE_HOST is not set')
  const audience = read.text('WORKLOAD_AUDIENCE') ?? AUDIENCE
  return Object.freeze({
    accepted: wanted && apiServer ? { audience, apiServer } : undefined,
    projectedAudience: read.given('SVC_WORKLOAD_AUDIENCE', AUDIENCE) || undefined,
    credentialsDir: read.text('SVC_KUBERNETES_CREDENTIALS_DIR') ?? CREDENTIALS_DIR,
  })
}

function readApiServer(read: Read): string | undefined {
  const host = read.text('KUBERNETES_SERVICE_HOST')
  const port = read.integer('KUBERNETES_SERVICE_PORT_HTTPS', 443, 1, 65_535)
  if (host === undefined) return undefined
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!URL.canParse(url)) read.fault('KUBERNETES_SERVICE_HOST must be an address or a name')
  return url
}
