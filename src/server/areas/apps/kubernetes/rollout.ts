import type { BuildResult } from '../deploys/target.ts'
import { START_LIMIT_SECONDS } from './manifests.ts'
import { type ContainerStatus, conditionsOf, describeEnd, endsOf, lastEndOf, type Pod, statusOf } from './pod.ts'

type Failure = Omit<Extract<BuildResult, { ok: false }>, 'ok'>

/** `started`: the revision was fetched and built, and its app has been started, whatever has become of it. */
export type Rollout =
  | { readonly type: 'waiting' }
  | { readonly type: 'started' }
  | ({ readonly type: 'failed' } & Failure)

type Limits = { readonly buildMemoryBytes: number }

const PULL_FAULTS = ['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull', 'RegistryUnavailable']
const CREATE_FAULTS = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError', 'PreCreateHookError']

/** Judges a rollout by its Deployment and its pods. */
export function judgeRollout(deployment: unknown, pods: readonly Pod[], limits: Limits): Rollout {
  const pod = newestOf(pods)
  const verdict = pod && judgePod(pod, limits)
  if (verdict && verdict.type !== 'waiting') return verdict
  for (const { type, status, reason, message } of conditionsOf(deployment)) {
    if (type === 'ReplicaFailure' && status === 'True') {
      return failed('START_FAILED', `Kubernetes refused to create the pod: ${message ?? reason ?? 'no reason given'}.`)
    }
    if (type === 'Progressing' && status === 'False' && reason === 'ProgressDeadlineExceeded') return tooSlow(pods)
  }
  return { type: 'waiting' }
}

/** Returns the failure of a rollout that took too long, with the step it did not get past. */
export function tooSlow(pods: readonly Pod[]): Rollout {
  const minutes = START_LIMIT_SECONDS / 60
  const pod = newestOf(pods)
  if (pod && statusOf(pod, 'build')?.state.running) {
    return failed('TIMED_OUT', `The build did not end within ${minutes} minutes of the start of its pod.`)
  }
  return failed('START_FAILED', `The pod did not start within ${minutes} minutes: ${whyWaiting(pod)}.`)
}

/** Leaves out pods that are being removed, for example because their node is. */
function newestOf(pods: readonly Pod[]): Pod | undefined {
  const current = pods.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== 'Failed')
  return current.toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp)).at(-1)
}

function judgePod(pod: Pod, { buildMemoryBytes }: Limits): Rollout {
  for (const name of ['fetch', 'build', 'app']) {
    const status = statusOf(pod, name)
    if (!status) continue
    if (name === 'app' && hasStarted(status)) return { type: 'started' }
    const end = lastEndOf(status)
    if (name !== 'app' && endsOf(status) > 0 && end && (end.exitCode !== 0 || end.reason === 'OOMKilled')) {
      return failed('BUILD_FAILED', `${ENDED[name]}: ${describeEnd(end, buildMemoryBytes)}.`)
    }
    const fault = waitingFault(status)
    if (fault !== undefined) return failed('START_FAILED', fault)
  }
  return { type: 'waiting' }
}

const ENDED: Readonly<Record<string, string>> = {
  fetch: 'The revision could not be fetched into the pod; the log of the deploy says why. The init container ended',
  build: 'The build command ended',
}

function hasStarted(status: ContainerStatus): boolean {
  return status.state.running !== undefined || endsOf(status) > 0
}

function waitingFault({ image, state: { waiting } }: ContainerStatus): string | undefined {
  const { reason = '', message = 'no reason given' } = waiting ?? {}
  if (PULL_FAULTS.includes(reason)) {
    return `Kubernetes cannot pull the image ${image} (${reason}): ${message}. The operator must make it available.`
  }
  if (CREATE_FAULTS.includes(reason)) return `Kubernetes cannot create the container (${reason}): ${message}.`
  return undefined
}

function whyWaiting(pod: Pod | undefined): string {
  if (!pod) return 'Kubernetes created no pod'
  const unscheduled = pod.status.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (unscheduled) return unscheduled.message ?? 'no node has room for it'
  const waiting = ['fetch', 'build', 'app']
    .map((name) => statusOf(pod, name))
    .find((status) => status?.state.waiting !== undefined)
  return waiting ? `the container ${waiting.name} waits (${waiting.state.waiting?.reason})` : 'it is being prepared'
}

function failed(code: Failure['code'], detail: string): Rollout {
  return { type: 'failed', code, detail }
}
