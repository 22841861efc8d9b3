import { z } from 'zod'
import type { EnvironmentReader } from './reader.ts'
import type { WorkloadSettings } from './workload.ts'

const DEFAULT_RUNNER = 'docker.io/library/node:24-bookworm-slim'
/** With the id of an organization behind it a name has at most 63 characters. */
const PREFIX = /^[a-z]([a-z0-9-]{0,28}[a-z0-9-])?$/

/** Reads where and how apps run as pods. Returns undefined unless they do (SVC_DEPLOY_TARGET=kubernetes). */
export function readKubernetes(read: EnvironmentReader, workload: WorkloadSettings) {
  const isChosen = read.oneOf('SVC_DEPLOY_TARGET', ['process', 'kubernetes'], 'process') === 'kubernetes'
  const apiServer = read.url('SVC_KUBERNETES_API_SERVER', ['https:']) ?? workload.apiServer
  const namespacePrefix = read.text('SVC_KUBERNETES_NAMESPACE_PREFIX') ?? 'svc-'
  const image = read.text('SVC_KUBERNETES_IMAGE')
  const runnerImage = read.text('SVC_KUBERNETES_RUNNER_IMAGE') ?? DEFAULT_RUNNER
  /** Docker configuration in JSON with the logins of the registries that both images come from. */
  const pullConfig = readPullConfig(read)
  /** Address of svc as pods reach it. */
  const apiUrl = read.url('SVC_KUBERNETES_APPS_API_URL', ['http:', 'https:']) ?? read.text('SVC_REDIRECT_BASE_URL')
  if (!PREFIX.test(namespacePrefix)) {
    read.fault(
      'SVC_KUBERNETES_NAMESPACE_PREFIX must begin with a lower-case letter and have at most 30 lower-case letters, ' +
        'digits and hyphens',
    )
  }
  if (!isChosen) return undefined
  const missing = [
    apiServer === undefined && 'SVC_KUBERNETES_API_SERVER, outside of a cluster',
    image === undefined && 'SVC_KUBERNETES_IMAGE, the image of svc, which fetches the source of an app',
    apiUrl === undefined && 'SVC_KUBERNETES_APPS_API_URL, the address of svc that pods reach',
    workload.projectedAudience === undefined &&
      'SVC_WORKLOAD_AUDIENCE not to be empty, because pods fetch their source with a projected token',
  ].filter((text) => text !== false)
  for (const text of missing) read.fault(`SVC_DEPLOY_TARGET=kubernetes requires ${text}`)
  return Object.freeze({
    apiServer: apiServer ?? '',
    credentialsDir: workload.credentialsDir,
    namespacePrefix,
    image: image ?? '',
    runnerImage,
    pullConfig,
    apiUrl: apiUrl ?? '',
    audience: workload.projectedAudience ?? '',
  })
}

const Registry = z.object({ auth: z.string().min(1) }).or(z.object({ username: z.string(), password: z.string() }))
const PullConfig = z.object({
  auths: z.record(z.string().min(1), Registry).refine((auths) => Object.keys(auths).length > 0),
})

/** Never repeats the value in a fault, because it contains passwords. */
function readPullConfig(read: EnvironmentReader): string | undefined {
  const text = read.text('SVC_KUBERNETES_PULL_CONFIG')
  if (text === undefined || PullConfig.safeParse(parseJson(text)).success) return text
  read.fault(
    'SVC_KUBERNETES_PULL_CONFIG must be a Docker configuration in JSON with at least one login: ' +
      '{"auths": {"registry.example.com": {"username": "…", "password": "…"}}}',
  )
  return undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
