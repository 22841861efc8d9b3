import { describe, expect, it } from 'vitest'
import { findEnds } from './ends.ts'
import { readPods } from './pod.ts'
import { judgeRollout, tooSlow } from './rollout.ts'

const LIMITS = { buildMemoryBytes: 2048 * 2 ** 20 }
const done = { name: 'fetch', state: { terminated: { exitCode: 0, reason: 'Completed' } } }
const podWith = (status: object, metadata: object = {}) =>
  readPods([{ metadata: { name: 'p', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }, status }])
const condition = (type: string, status: string, reason: string, message = '') => ({
  status: { conditions: [{ type, status, reason, message }] },
})
const started = { initContainerStatuses: [done], containerStatuses: [{ name: 'app', state: { running: {} } }] }

describe('OP-02 MA-15 a rollout', () => {
  it.each<[string, object, object | undefined, object]>([
    ['waits while nothing is known', {}, undefined, { type: 'waiting' }],
    [
      'waits while an image is pulled for the first time',
      { initContainerStatuses: [{ name: 'fetch', state: { waiting: { reason: 'ErrImagePull' } } }] },
      undefined,
      { type: 'waiting' },
    ],
    ['has started when the app runs', started, undefined, { type: 'started' }],
    [
      'has started when the app has ended: what becomes of it is judged like any crash',
      { initContainerStatuses: [done], containerStatuses: [{ name: 'app', state: { terminated: { exitCode: 1 } } }] },
      undefined,
      { type: 'started' },
    ],
    [
      'fails with the exit code of the build',
      { initContainerStatuses: [done, { name: 'build', state: { terminated: { exitCode: 7, reason: 'Error' } } }] },
      undefined,
      { type: 'failed', code: 'BUILD_FAILED', detail: 'The build command ended: exit code 7.' },
    ],
    [
      'fails when the build is seen only in its crash loop',
      {
        initContainerStatuses: [
          done,
          {
            name: 'build',
            restartCount: 1,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
          },
        ],
      },
      undefined,
      {
        type: 'failed',
        code: 'BUILD_FAILED',
        detail: 'The build command ended: killed: it used more than 2048 MB of memory.',
      },
    ],
    [
      'fails when the revision cannot be fetched',
      { initContainerStatuses: [{ name: 'fetch', state: { terminated: { exitCode: 4, reason: 'Error' } } }] },
      undefined,
      {
        type: 'failed',
        code: 'BUILD_FAILED',
        detail:
          'The revision could not be fetched into the pod; the log of the deploy says why. The init container ended: exit code 4.',
      },
    ],
    [
      'fails when an image cannot be pulled again and again',
      {
        initContainerStatuses: [
          {
            name: 'fetch',
            image: 'svc:1',
            state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "svc:1"' } },
          },
        ],
      },
      undefined,
      {
        type: 'failed',
        code: 'START_FAILED',
        detail:
          'Kubernetes cannot pull the image svc:1 (ImagePullBackOff): Back-off pulling image "svc:1". The operator must make it available.',
      },
    ],
    [
      'fails when a container cannot be created',
      {
        initContainerStatuses: [done],
        containerStatuses: [
          {
            name: 'app',
            state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' } },
          },
        ],
      },
      undefined,
      {
        type: 'failed',
        code: 'START_FAILED',
        detail: 'Kubernetes cannot create the container (CreateContainerConfigError): secret "x" not found.',
      },
    ],
    [
      'fails when a quota or a policy refuses the pod',
      {},
      condition('ReplicaFailure', 'True', 'FailedCreate', 'pods "x" is forbidden: exceeded quota'),
      {
        type: 'failed',
        code: 'START_FAILED',
        detail: 'Kubernetes refused to create the pod: pods "x" is forbidden: exceeded quota.',
      },
    ],
    [
      'fails by its deadline with the reason of the scheduler',
      {
        conditions: [
          { type: 'PodScheduled', status: 'False', message: '0/3 nodes are available: 3 Insufficient memory' },
        ],
      },
      condition('Progressing', 'False', 'ProgressDeadlineExceeded'),
      {
        type: 'failed',
        code: 'START_FAILED',
        detail: 'The pod did not start within 15 minutes: 0/3 nodes are available: 3 Insufficient memory.',
      },
    ],
    [
      'fails by its deadline while the build runs',
      { initContainerStatuses: [done, { name: 'build', state: { running: {} } }] },
      condition('Progressing', 'False', 'ProgressDeadlineExceeded'),
      { type: 'failed', code: 'TIMED_OUT', detail: 'The build did not end within 15 minutes of the start of its pod.' },
    ],
  ])('%s', (_, status, deployment, expected) => {
    expect(judgeRollout(deployment, podWith(status), LIMITS)).toEqual(expected)
  })

  it('is judged by its newest pod that is not being removed', () => {
    const old = podWith({ initContainerStatuses: [{ name: 'fetch', state: { terminated: { exitCode: 4 } } }] })
    const newer = podWith(started, { uid: 'v', creationTimestamp: '2026-01-01T00:01:00Z' })
    const going = podWith({}, { uid: 'w', creationTimestamp: '2026-01-01T00:02:00Z', deletionTimestamp: 'now' })
    expect(judgeRollout(undefined, [...going, ...newer, ...old], LIMITS)).toEqual({ type: 'started' })
  })

  it('without any pod says so when it took too long', () => {
    expect(tooSlow([])).toMatchObject({ detail: 'The pod did not start within 15 minutes: Kubernetes created no pod.' })
  })
})

describe('OP-02 MA-15 the ends of an app', () => {
  const MEMORY = 512 * 2 ** 20
  const app = (restartCount: number, state: object, lastState: object = {}) =>
    podWith({ containerStatuses: [{ name: 'app', restartCount, state, lastState }] })
  const end = { terminated: { exitCode: 1 } }

  it('are counted once each, from the end to the next start', () => {
    let { seen, ends } = findEnds(undefined, app(0, { running: {} }), MEMORY)
    expect(ends).toEqual([])
    for (const [pods, expected] of [
      [app(0, end), ['exit code 1']],
      [app(0, { waiting: { reason: 'CrashLoopBackOff' } }, end), []],
      [app(1, { running: {} }, end), []],
      [app(3, { running: {} }, { terminated: { exitCode: 137, reason: 'OOMKilled' } }), OOM_TWICE],
      [[], ['its pod was removed']],
    ] as const) {
      ;({ seen, ends } = findEnds(seen, pods, MEMORY))
      expect(ends).toEqual(expected)
    }
  })

  it('that happened before this process looked are not counted', () => {
    const first = findEnds(undefined, app(5, { running: {} }, end), MEMORY)
    expect(first.ends).toEqual([])
    expect(findEnds(first.seen, app(5, { running: {} }, end), MEMORY).ends).toEqual([])
  })

  it('of a pod that is evicted have the reason, once', () => {
    const { seen } = findEnds(undefined, app(0, { running: {} }), MEMORY)
    const evicted = podWith({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory' })
    const after = findEnds(seen, evicted, MEMORY)
    expect(after.ends).toEqual(['its pod was removed: Evicted, The node was low on memory'])
    expect(findEnds(after.seen, [], MEMORY).ends).toEqual([])
  })
})

const OOM = 'killed: it used more than 512 MB of memory'
const OOM_TWICE = [OOM, OOM]
