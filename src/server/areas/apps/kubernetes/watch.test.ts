import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasten, openClient } from '#test/kubernetes/cluster-target.ts'
import { type FakeApiServer, startFakeApiServer } from '#test/kubernetes/fake-api-server.ts'
import { until } from '#test/until.ts'
import type { LogRate } from '../logs/log-rate.ts'
import { FROM_START, followLog, positionAfter } from './follow-log.ts'
import { watchObjects } from './watch.ts'

let cluster: FakeApiServer
let opened: ReturnType<typeof openClient>
let stopping: AbortController
const errors: unknown[] = []
beforeEach(async () => {
  cluster = await startFakeApiServer()
  opened = openClient(cluster)
  stopping = new AbortController()
  errors.length = 0
  cluster.applyAs('test', 'namespaces', undefined, 'one', {})
})
afterEach(async () => {
  stopping.abort()
  await opened[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})
const deps = () => ({ client: opened.client, delay: hasten, onError: (error: unknown) => void errors.push(error) })

describe('OP-02 a watch', () => {
  const watched: string[][] = []
  const start = async () => {
    watched.length = 0
    for await (const objects of watchObjects(deps(), '/api/v1/namespaces', {}, stopping.signal)) {
      watched.push(objects.map(({ metadata }) => metadata.name!))
    }
  }
  const last = () => watched.at(-1)?.join()
  const add = (name: string) => cluster.applyAs('test', 'namespaces', undefined, name, {})
  const isWatching = () => cluster.openStreams() === 1

  it('shows what is there, and each change', async () => {
    const watching = start()
    await until(isWatching)
    expect(watched).toEqual([['one']])
    add('two')
    await until(() => last() === 'one,two')
    stopping.abort()
    await watching
  })

  it('that the server ends after its time goes on where it was, without a new list', async () => {
    void start()
    await until(isWatching)
    cluster.asked.clear()
    cluster.endStreams('clean')
    add('two')
    await until(() => last() === 'one,two')
    expect([...cluster.asked]).toEqual(['watch namespaces'])
    expect(errors).toEqual([])
  })

  it('whose version the server has forgotten (410 Gone) lists again and misses nothing', async () => {
    void start()
    await until(isWatching)
    cluster.asked.clear()
    add('two')
    await until(() => last() === 'one,two')
    cluster.endStreams('clean')
    add('three')
    cluster.compact()
    await until(() => last() === 'one,two,three' && isWatching())
    expect([...cluster.asked].toSorted()).toEqual(['list namespaces', 'watch namespaces'])
    expect(errors).toEqual([])
  })

  it('goes on after the API server was away, and misses nothing', async () => {
    void start()
    await until(isWatching)
    await cluster.stop()
    add('two')
    await until(() => errors.length > 0)
    await cluster.start()
    await until(() => last() === 'one,two')
  })
})

describe('OP-02 the log of a container', () => {
  const lines: string[] = []
  const path = '/api/v1/namespaces/one/pods/shop/log'
  let hasEnded: boolean
  const line = (second: number, nanos: string, text: string) => {
    cluster.writeLog('shop', 'app', { time: `2026-01-02T03:04:0${second}${nanos && `.${nanos}`}Z`, text })
  }
  const setState = (state: object) => {
    cluster.applyAs('kubelet', 'pods', 'one', 'shop', {
      status: { containerStatuses: [{ name: 'app', restartCount: 0, state }] },
    })
  }
  const follow = (position = { ...FROM_START }, rate: LogRate = () => 0, pauses: number[] = []) => {
    const onLine = ({ at, text }: { at?: Date; text: string }) => void lines.push(`${at?.getUTCSeconds()} ${text}`)
    const followed = { path, container: 'app', position, hasEnded: () => hasEnded, onLine, rate }
    const delay = async (ms: number, signal: AbortSignal) => {
      pauses.push(ms)
      await deps().delay(ms, signal)
    }
    return followLog({ ...deps(), delay }, followed, stopping.signal)
  }
  beforeEach(() => {
    lines.length = 0
    hasEnded = false
    setState({ running: {} })
  })

  it.each(['clean', 'broken'] as const)(
    'is followed over a %s end of the stream, without doubles and gaps',
    async (how) => {
      line(1, '', 'a')
      line(1, '5', 'b')
      line(1, '5', 'b again')
      const following = follow()
      await until(() => lines.length === 3)
      cluster.endStreams(how)
      line(1, '5', 'c at the same time')
      line(1, '500000001', 'd')
      line(2, '', 'e')
      await until(() => lines.length === 6)
      cluster.endStreams(how)
      line(3, '', 'last')
      hasEnded = true
      setState({ terminated: { exitCode: 0 } })
      await following
      expect(lines).toEqual(['1 a', '1 b', '1 b again', '1 c at the same time', '1 d', '2 e', '3 last'])
    },
  )

  it('is followed on after the API server restarted', async () => {
    line(1, '', 'a')
    void follow()
    await until(() => lines.length === 1)
    await cluster.stop()
    line(2, '', 'b')
    await cluster.start()
    await until(() => lines.length === 2)
    expect(lines).toEqual(['1 a', '2 b'])
  })

  it('is read on from the last line that another process stored', async () => {
    line(1, '123456789', 'stored')
    line(1, '124', 'new')
    void follow(positionAfter(new Date('2026-01-02T03:04:01.123Z')))
    await until(() => lines.length === 1)
    expect(lines).toEqual(['1 new'])
  })

  it('OP-09 has only the times that the cluster wrote, also where a line is cut', async () => {
    const size = 64 * 1024
    const forged = '2031-01-02T03:04:09Z forged'.padEnd(size, 'x')
    line(1, '', 'x'.repeat(size - '2026-01-02T03:04:01Z '.length) + forged.repeat(8))
    line(2, '', 'next')
    void follow()
    await until(() => lines.at(-1) === '2 next')
    expect(lines.filter((text) => text.startsWith('9 '))).toEqual([])
    cluster.endStreams('clean')
    line(3, '', 'last')
    await until(() => lines.at(-1) === '3 last')
  })

  it('OP-09 is read no faster than its app may write', async () => {
    const pauses: number[] = []
    for (let n = 0; n < 3; n++) line(n, '', `line ${n}`)
    const rate = (bytes: number) => (bytes === 'line 1'.length + '2026-01-02T03:04:01Z '.length + 512 ? 250 : 0)
    void follow({ ...FROM_START }, rate, pauses)
    await until(() => lines.length === 3)
    expect(pauses.filter((ms) => ms === 250)).toHaveLength(3)
  })

  it('ends when the pod is gone', async () => {
    await opened.client.remove('/api/v1/namespaces/one/pods/shop')
    await follow()
    expect(lines).toEqual([])
  })
})
