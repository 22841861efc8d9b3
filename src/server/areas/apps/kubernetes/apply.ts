import type { DeployFacts } from '../deploys/target.ts'
import { type ClusterDeps, type Manifest, pathOf } from './client.ts'
import { isPassing, KubernetesError } from './kubernetes-error.ts'
import {
  deploymentFor,
  namespaceFor,
  networkPolicyFor,
  type PodSettings,
  pullSecretFor,
  secretFor,
  serviceAccountFor,
  serviceFor,
} from './manifests.ts'
import { ORG_LABEL } from './names.ts'

/** Thrown when the objects of a deploy could not be made. The message is for people. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError'
}

const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const

type Deps = Pick<ClusterDeps, 'client' | 'delay'> & { readonly settings: PodSettings }

/**
 * Makes or updates everything that a deploy needs, the Deployment last. Waits for an API server that restarts, for a
 * minute. Applying the same again changes nothing.
 */
export async function applyDeploy(
  deps: Deps,
  deploy: DeployFacts,
  variables: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const { settings } = deps
  await prepareNamespace(deps, deploy.orgId, signal)
  const manifests = [
    networkPolicyFor(deploy.orgId, settings),
    pullSecretFor(deploy.orgId, settings),
    serviceAccountFor(deploy, settings),
    secretFor(deploy, variables, settings),
    serviceFor(deploy, settings),
    deploymentFor(deploy, variables, settings),
  ]
  for (const manifest of manifests) if (manifest) await applyOne(deps, manifest as Manifest, signal)
}

async function prepareNamespace(deps: Deps, orgId: string, signal: AbortSignal): Promise<void> {
  const manifest = namespaceFor(orgId, deps.settings) as Manifest
  const { name } = manifest.metadata
  const found = await patiently(deps, manifest, signal, () => deps.client.get(pathOf(manifest), signal))
  if (found && found.metadata.labels?.[ORG_LABEL] !== orgId) {
    throw new ApplyError(
      `The namespace ${name} exists and does not belong to this organization. The operator must label it ` +
        `${ORG_LABEL}=${orgId}, or choose another SVC_KUBERNETES_NAMESPACE_PREFIX.`,
    )
  }
  await applyOne(deps, manifest, signal)
}

/**
 * Applies an object, and takes its fields over from other managers: its name contains an id of svc, and its fields decide
 * who the app is and what it may do, so a change by hand must not stay. Not those of a namespace, which the operator can
 * have prepared, and whose labels svc must not change.
 */
async function applyOne(deps: Deps, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const force = manifest.kind !== 'Namespace'
  await patiently(deps, manifest, signal, () => deps.client.apply(manifest, { force }, signal))
}

/** Repeats a call while the API server gives no answer or one that will change by itself. */
async function patiently<T>(deps: Deps, manifest: Manifest, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (const waitMs of [...RETRY_MS, undefined]) {
    try {
      return await call()
    } catch (error) {
      signal.throwIfAborted()
      if (waitMs === undefined || !isPassing(error)) throw toApplyError(error, manifest)
      await deps.delay(waitMs, signal)
    }
  }
  throw new Error('unreachable')
}

function toApplyError(error: unknown, { kind, metadata: { name } }: Manifest): ApplyError {
  if (!(error instanceof KubernetesError)) {
    return new ApplyError('The Kubernetes API server did not answer. Try again later.', { cause: error })
  }
  if (error.conflicts.length > 0) {
    const fields = error.conflicts.map(({ field, message }) => `${field} (${message})`).join(', ')
    return new ApplyError(
      `${kind} ${name} has fields that others manage: ${fields}. The operator must remove them or set them as svc does.`,
      { cause: error },
    )
  }
  return new ApplyError(`Kubernetes refused ${kind} ${name}: ${error.message}`, { cause: error })
}
