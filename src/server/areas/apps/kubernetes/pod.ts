import { z } from 'zod'

const Terminated = z.object({
  exitCode: z.number().optional(),
  signal: z.number().optional(),
  reason: z.string().optional(),
})
const State = z
  .object({
    waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
    running: z.object({}).optional(),
    terminated: Terminated.optional(),
  })
  .default({})
const ContainerStatus = z.object({
  name: z.string(),
  image: z.string().default(''),
  restartCount: z.number().default(0),
  state: State,
  lastState: State,
})
const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
})
const Pod = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    creationTimestamp: z.string().default(''),
    deletionTimestamp: z.string().optional(),
  }),
  status: z
    .object({
      phase: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      conditions: z.array(Condition).default([]),
      initContainerStatuses: z.array(ContainerStatus).default([]),
      containerStatuses: z.array(ContainerStatus).default([]),
    })
    .prefault({}),
})
const Deployment = z.object({
  status: z.object({ conditions: z.array(Condition).default([]) }).prefault({}),
})

type Terminated = z.output<typeof Terminated>
export type ContainerStatus = z.output<typeof ContainerStatus>
export type Pod = z.output<typeof Pod>
type Condition = z.output<typeof Condition>

/** Reads pods as the API server writes them. Those that cannot be read are left out. */
export function readPods(objects: readonly unknown[]): Pod[] {
  return objects.flatMap((object) => Pod.safeParse(object).data ?? [])
}

export function conditionsOf(deployment: unknown): readonly Condition[] {
  return Deployment.safeParse(deployment).data?.status.conditions ?? []
}

export function statusOf(pod: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses, initContainerStatuses } = pod.status
  return [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === container)
}

/** How often the container has ended. `restartCount` alone lags behind: it grows when the container runs again. */
export function endsOf({ restartCount, state, lastState }: ContainerStatus): number {
  const isDown = state.terminated !== undefined || (state.waiting !== undefined && lastState.terminated !== undefined)
  return restartCount + (isDown ? 1 : 0)
}

/** The last end of the container, if it has ended. */
export function lastEndOf({ state, lastState }: ContainerStatus): Terminated | undefined {
  return state.terminated ?? lastState.terminated
}

/** Describes the end of a container with the same texts as the target `process`. */
export function describeEnd({ exitCode, signal, reason }: Terminated, memoryBytes: number): string {
  if (reason === 'OOMKilled') return `killed: it used more than ${Math.round(memoryBytes / 2 ** 20)} MB of memory`
  if (signal !== undefined && signal > 0) return `signal ${signal}`
  return exitCode === undefined ? (reason ?? 'unknown reason') : `exit code ${exitCode}`
}
