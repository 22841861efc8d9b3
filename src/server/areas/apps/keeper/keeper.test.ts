import { once } from 'node:events'
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { connectLocal, listenLocal } from '#lib/net/local-stream.ts'
import { deployFacts, openTestTarget } from '#test/apps/app-target.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { AppSums } from '../counts/app-counts.ts'
import type { Instance, OnLine, StoredLines } from '../deploys/target.ts'
import { layoutOf } from '../process/layout.ts'
import { DEFAULT_LIMITS } from '../process/limits/limits.ts'
import { keeperEntry } from './command.ts'
import { KeptDoor } from './link/kept-door.ts'
import { type FromKeeper, PROTOCOL, type ToKeeper } from './messages.ts'
import { chooseSocket } from './place.ts'
import { openWire } from './wire.ts'

/** Answers with a number that is its own, and writes each path to its log. */
const APP = `
  const own = Math.random()
  let held
  require('node:http').createServer((request, response) => {
    if (request.url === '/end') process.exit(3)
    console.log(request.url)
    if (request.url === '/held') return void (held = response)
    response.end(String(own))
    held?.end(String(own))
  }).listen(Number(process.env.PORT), '127.0.0.1')`

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-keeper-test-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type ServerOptions = { holdMs?: number; fence?: number; upgradeMs?: number }

/** A server on a data folder, as far as apps are concerned. `leave` stops it as a restart does, `end` as Ctrl-C does. */
async function openServer(dataDir: string, { holdMs = 60_000, fence = 1, upgradeMs }: ServerOptions = {}) {
  let leaves = true
  const errors: string[] = []
  const warnings: string[] = []
  const door = await KeptDoor.open({
    settings: {
      host: '127.0.0.1',
      port: 0,
      domain: 'apps.test',
      isSecure: false,
      trustedProxies: [],
      hopSecret: 'ab'.repeat(32),
    },
    dataDir,
    series: { open: () => () => {}, refused: () => {} },
    log: { warn: (_, message) => void warnings.push(message), error: (_, message) => void errors.push(message) },
    holdMs,
    renewsHold: false,
    leavesApps: () => leaves,
    ...(upgradeMs !== undefined && { upgradeMs }),
  })
  door.serve(async () => ({ to: { type: 'unknown' } }))
  const opened = openTestTarget({ dataDir, network: door, sandboxes: door.sandboxes })
  const { target } = opened
  const lines: string[] = []
  const onLine: OnLine = (line) => void lines.push(line.text)
  let isClosed = false
  const close = async (isLeft: boolean) => {
    if (isClosed) return
    isClosed = true
    leaves = isLeft
    await door[Symbol.asyncDispose]()
  }
  cleanUps.push(() => close(false))
  const start = async (
    deployId: string,
    storedLines: () => Promise<StoredLines | undefined> = async () => undefined,
    leaseFence = fence,
  ) => {
    const deploy = { ...deployFacts('app_1', deployId), startCommand: 'exec node app.js' }
    const { signal } = new AbortController()
    const request = {
      deploy,
      release: { deployId },
      environment: {},
      fence: leaseFence,
      onLine,
      storedLines,
      signal,
    }
    return target.start({ ...request, onHarmful: () => {} })
  }
  const serve = async (deployId: string) => {
    await opened.build(deployId, { 'app.js': APP }, null)
    const instance = await start(deployId)
    await until(() => answerOf(instance))
    await instance.route?.('shop')
    return instance
  }
  /** Asks as a visitor does. */
  const visit = (path = '/') => visitPort(door.port, path)
  return {
    door,
    target,
    lines,
    errors,
    warnings,
    start,
    serve,
    visit,
    leave: () => close(true),
    end: () => close(false),
  }
}

function visitPort(port: number, path = '/'): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'shop.apps.test' }
    send({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
    })
      .on('error', reject)
      .end()
  })
}

async function answerOf(instance: Instance): Promise<string | undefined> {
  const answer = await instance.fetch(new Request('http://app.test/probe')).catch(() => undefined)
  return answer?.text()
}

function keeperPid(dataDir: string): number {
  return (JSON.parse(readFileSync(join(dataDir, 'keeper', 'lock.json'), 'utf8')) as { pid: number }).pid
}

/** The program of the process that holds pipes during an upgrade. */
const HOLDER = 'sleep'

/** Names of the programs of processes below another that have ended and wait for it. */
function zombiesBelow(pid: number): string[] {
  const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return below.flatMap((child) => /\((.*)\) Z /.exec(readFileSync(`/proc/${child}/stat`, 'utf8'))?.[1] ?? [])
}

const isGone = (pid: number) => !existsSync(`/proc/${pid}`) || /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

describe('OP-07 an app and the servers that host it', () => {
  it('goes on answering visitors without a server, and the next server finds it', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    const own = await answerOf(await first.serve('dep_1'))
    const { port } = first.door
    await first.leave()
    expect(await visitPort(port)).toEqual({ status: 200, body: own })
    const second = await openServer(dataDir, { fence: 2 })
    expect(second.door.port).toBe(port)
    expect(await second.visit()).toEqual({ status: 200, body: own })
    expect(await answerOf(await second.start('dep_1'))).toBe(own)
  })

  it('loses no line that it wrote meanwhile, and hands on none that is stored', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    await first.serve('dep_1')
    await first.visit('/stored')
    await until(() => first.lines.includes('/stored'))
    const { port } = first.door
    await first.leave()
    const at = new Date()
    await until(() => Date.now() > at.getTime())
    for (const path of ['/one', '/two']) await visitPort(port, path)
    const second = await openServer(dataDir, { fence: 2 })
    await second.start('dep_1', async () => ({ at, count: 0 }))
    await second.visit('/three')
    await until(() => second.lines.includes('/three'))
    expect(second.lines).toEqual(['/one', '/two', '/three'])
  })

  it('is started again by the keeper if it ends while no server hosts it', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    const own = await answerOf(await first.serve('dep_1'))
    const { port } = first.door
    await first.leave()
    await visitPort(port, '/end').catch(() => undefined)
    const again = await until(async () => {
      const { status, body } = await visitPort(port)
      return status === 200 && body
    })
    expect(again).not.toBe(own)
    const second = await openServer(dataDir, { fence: 2 })
    expect(await answerOf(await second.start('dep_1'))).toBe(again)
    await until(() => second.lines.some((line) => /^The app ended \(exit code 3\) and is started again\.$/.test(line)))
  })

  it('ends with its server if that stops for good, and so does the keeper', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    await first.serve('dep_1')
    const pid = keeperPid(dataDir)
    await first.end()
    await until(() => isGone(pid))
    await expect(visitPort(first.door.port)).rejects.toThrow()
  })

  it('ends if no server comes back in time', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir, { holdMs: 0 })
    await first.serve('dep_1')
    await first.leave()
    const { port } = first.door
    await until(async () => (await visitPort(port)).status === 503)
  })

  it('ends with a keeper that is killed, and can be started again', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    const instance = await server.serve('dep_1')
    process.kill(keeperPid(dataDir), 'SIGKILL')
    expect(await instance.ended).toEqual({ description: 'the process that keeps apps ended', isOurs: true })
    const again = await until(() => server.start('dep_1').catch(() => undefined))
    await until(() => answerOf(again))
    expect(server.errors).toContain('the process that keeps apps ended; it and its apps are started again')
  })

  it('a server starts although the keeper ends before it has answered', async () => {
    const dataDir = newFolder()
    let connections = 0
    const socketPath = chooseSocket(dataDir)
    const ending = await listenLocal(socketPath, (socket) => {
      connections++
      if (connections === 2) rmSync(socketPath)
      socket.destroy()
    })
    cleanUps.push(() => ending[Symbol.asyncDispose]())
    const server = await openServer(dataDir)
    expect(connections).toBe(2)
    await server.serve('dep_1')
    expect((await server.visit()).status).toBe(200)
  })

  /** Listens as a keeper of this release that answers as it is told to. */
  async function openFake(
    dataDir: string,
    answer: (message: ToKeeper, reply: (message: FromKeeper) => void) => void,
    onClose: () => void = () => {},
  ) {
    const fake = await listenLocal(chooseSocket(dataDir), (socket) => {
      const wire = openWire<ToKeeper, FromKeeper>(socket, {
        onMessage: (message) => answer(message, wire.send),
        onClose,
      })
      const facts = { protocol: PROTOCOL, keeperId: 'keeper-1', startedBy: 'operator', pid: process.pid } as const
      wire.send({ is: 'welcome', ...facts })
    })
    cleanUps.push(() => fake[Symbol.asyncDispose]())
  }

  it('a visitor who asks while a server connects gets its answer', async () => {
    const dataDir = newFolder()
    let openDoor = 0
    const found: ToKeeper[] = []
    await openFake(dataDir, (message, reply) => {
      if (message.do === 'open_door') {
        openDoor = message.id
        reply({ is: 'look_up', id: 5, label: 'shop' })
      } else if (message.do === 'found') {
        found.push(message)
        reply({ is: 'done', id: openDoor, value: 1 })
      }
    })
    await openServer(dataDir)
    expect(found).toEqual([{ do: 'found', id: 5, to: { type: 'failed' } }])
  })

  it('a server that cannot open the port at the keeper leaves no connection', async () => {
    const dataDir = newFolder()
    const closed = Promise.withResolvers<void>()
    await openFake(
      dataDir,
      (message, reply) => {
        const fault = { message: 'the port is in use', code: 'EADDRINUSE' }
        if (message.do === 'open_door') reply({ is: 'done', id: message.id, fault })
      },
      closed.resolve,
    )
    await expect(openServer(dataDir)).rejects.toThrow('the port is in use')
    await closed.promise
  })

  it('is not touched by a server whose lease another one has by now', async () => {
    const dataDir = newFolder()
    const former = await openServer(dataDir, { fence: 1 })
    const left = await former.serve('dep_1')
    const own = await answerOf(left)
    const next = await openServer(dataDir, { fence: 2 })
    const instance = await next.start('dep_1')
    expect(await left.ended).toMatchObject({ isOurs: true, goesOn: true })
    await expect(former.start('dep_1')).rejects.toThrow('another server hosts this app')
    await expect(former.target.endOrphans({ id: 'app_1', orgId: 'org_1', fence: 1 }, [])).rejects.toThrow(
      'another server',
    )
    expect(await answerOf(instance)).toBe(own)
  })

  it('is not ended by a server whose lease another one has by now, also before that one has found it', async () => {
    const dataDir = newFolder()
    const former = await openServer(dataDir, { fence: 1 })
    const left = await former.serve('dep_1')
    const own = await answerOf(left)
    const next = await openServer(dataDir, { fence: 2 })
    await next.target.endOrphans({ id: 'app_1', orgId: 'org_1', fence: 2 }, [{ id: 'dep_1', isLive: true }])
    await left.stop(0)
    expect(await left.ended).toEqual({ description: 'another process of svc hosts it', isOurs: true, goesOn: true })
    expect(await answerOf(await next.start('dep_1'))).toBe(own)
  })

  it('runs once although two starts of it wait for the end of the one before', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    await server.serve('dep_1')
    const pipes = () => readdirSync(join(dataDir, 'keeper', 'pipes')).length
    const before = pipes()
    const start = (fence: number) => {
      const options = {
        ...deployFacts('app_1', 'dep_1'),
        fence,
        folder: layoutOf(dataDir, 'app_1').release('dep_1'),
        memoryBytes: 256 * 1024 * 1024,
        limits: DEFAULT_LIMITS,
        apiOrigin: undefined,
        token: undefined,
        mayBeUnsandboxed: true,
        command: 'exec node app.js',
        variables: {},
        onLine: () => {},
      }
      return server.door.sandboxes.start(options, new AbortController().signal)
    }
    const [former, next] = await Promise.allSettled([start(1), start(2)])
    expect(former).toMatchObject({ status: 'rejected' })
    expect(next).toMatchObject({ status: 'fulfilled' })
    expect(pipes()).toBe(before)
    const running = await server.start('dep_1', undefined, 2)
    await until(() => answerOf(running))
  })

  it('ends if its deploy is not live any more when the next server comes', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    await first.serve('dep_1')
    await first.leave()
    const second = await openServer(dataDir, { fence: 2 })
    await second.target.endOrphans({ id: 'app_1', orgId: 'org_1', fence: 2 }, [{ id: 'dep_1', isLive: false }])
    expect((await second.visit()).status).toBe(404)
  })

  it('a build ends with the server that runs it', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    await first.serve('dep_1')
    const { signal } = new AbortController()
    const deploy = { ...deployFacts('app_1', 'dep_2'), buildCommand: 'echo $$ begins; sleep 1000' }
    async function* files() {}
    const building = first.target.build({
      deploy,
      files: files(),
      environment: {},
      onLine: ({ text: line }) => void first.lines.push(line),
      signal,
    })
    await until(() => first.lines.some((line) => line.endsWith('begins')))
    await first.leave()
    expect(await building).toMatchObject({ ok: false })
  })

  it('the socket of the keeper is for its owner only', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    await server.serve('dep_1')
    const socket = join(dataDir, 'keeper', 'control.sock')
    expect(lstatSync(socket).isSocket()).toBe(true)
    expect(statSync(socket).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'keeper')).mode & 0o777).toBe(0o700)
  })
})

/** Asks the keeper for an upgrade, as a server of another release does. Returns why it refuses, or undefined. */
async function upgradeKeeper(dataDir: string, entry: string, execPath = process.execPath): Promise<string | undefined> {
  const socket = await connectLocal(join(dataDir, 'keeper', 'control.sock'))
  socket?.write(`${JSON.stringify({ do: 'upgrade', id: 7, execPath, entry })}\n`)
  let answer: { is: string; fault?: { message: string } } | undefined
  const wire = openWire<NonNullable<typeof answer>, never>(socket!, {
    onMessage: (message) => {
      if (message.is !== 'done') return
      answer = message
      wire.end()
    },
    onClose: () => {},
  })
  await once(socket!, 'close')
  return answer?.fault?.message
}

/** A program of the keeper that runs some code before it begins, if it does not only say which state it can read. */
function newProgram(code: string): string {
  const file = join(newFolder(), 'keeper-child.mjs')
  const begin = `if (process.argv[2] !== '--format') { ${code} }\nawait import(${JSON.stringify(keeperEntry())})`
  writeFileSync(file, `import { writeFileSync } from 'node:fs'\n${begin}\n`)
  return file
}

describe('OP-07 a keeper that is upgraded', () => {
  it('goes on with its apps, what they write, and requests that are under way', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    const own = await answerOf(await first.serve('dep_1'))
    const { port } = first.door
    const keeper = keeperPid(dataDir)
    const held = visitPort(port, '/held')
    await until(() => first.lines.includes('/held'))
    await first.leave()
    expect(await upgradeKeeper(dataDir, newProgram(''))).toBeUndefined()
    expect(await visitPort(port, '/let-go')).toEqual({ status: 200, body: own })
    expect(await held).toEqual({ status: 200, body: own })
    const second = await openServer(dataDir, { fence: 2 })
    expect(keeperPid(dataDir)).toBe(keeper)
    expect(await answerOf(await second.start('dep_1'))).toBe(own)
    await until(() => second.lines.includes('/let-go'))
    expect(second.lines.filter((line) => line !== '/probe')).toEqual(['/held', '/let-go'])
    await second.end()
    await until(() => isGone(keeper))
  })

  it('AP-02 a keeper that is upgraded goes on with what it counted, also while no server ran, and hands it out once', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    await first.serve('dep_1')
    await first.visit()
    const { port } = first.door
    await first.leave()
    await visitPort(port)
    expect(await upgradeKeeper(dataDir, newProgram(''))).toBeUndefined()
    const second = await openServer(dataDir, { fence: 2 })
    await second.start('dep_1')
    const sums: AppSums[] = []
    const taken = async () => {
      sums.push(...(await second.door.takeCounts()))
      return sums.reduce((sum, { requests }) => sum + requests, 0)
    }
    await until(async () => (await taken()) === 2)
    await visitPort(port)
    await until(async () => (await taken()) === 3 && sums.some(({ memoryBytes }) => memoryBytes !== null))
    const [{ label, failed }] = sums as [AppSums]
    expect({ label, failed, memory: Math.max(...sums.map(({ memoryBytes }) => memoryBytes ?? 0)) > 1e6 }).toEqual({
      label: 'shop',
      failed: 0,
      memory: true,
    })
  })

  it('goes on as it is if the new program cannot be executed, says so, and leaves no zombie of an app', async () => {
    const dataDir = newFolder()
    const first = await openServer(dataDir)
    await first.serve('dep_1')
    const { port } = first.door
    const keeper = keeperPid(dataDir)
    await first.leave()
    // The app is a child that the next program did not start, when it ends.
    expect(await upgradeKeeper(dataDir, newProgram(''))).toBeUndefined()
    await visitPort(port, '/end').catch(() => undefined)
    await until(() => zombiesBelow(keeper).some((name) => name !== HOLDER))
    const again = await until(async () => {
      const { status, body } = await visitPort(port)
      return status === 200 && body
    })
    // The interpreter is gone when the program is executed for the second time, after it was tried.
    const [folder, node] = [newFolder(), join(newFolder(), 'node')]
    writeFileSync(join(folder, 'sh'), '#!/bin/sh\nrm "$0" && echo 1\n', { mode: 0o755 })
    writeFileSync(node, `#!${folder}/sh\n`, { mode: 0o755 })
    expect(await upgradeKeeper(dataDir, keeperEntry(), node)).toBeUndefined()
    const second = await openServer(dataDir, { fence: 2 })
    expect(keeperPid(dataDir)).toBe(keeper)
    expect(await answerOf(await second.start('dep_1'))).toBe(again)
    const message = 'the new program of the process that keeps apps could not be executed; the former one goes on'
    await until(() => second.errors.includes(message))
    expect(zombiesBelow(keeper).filter((name) => name !== HOLDER)).toEqual([])
  })

  it('goes on with the other instances of an app if one cannot be taken over, also for a server that stays', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    const instance = await server.serve('dep_1')
    const own = await answerOf(instance)
    const pipes = join(dataDir, 'keeper', 'pipes')
    const former = readdirSync(pipes)
    const lost = await answerOf(await server.serve('dep_2'))
    const [pipesOfLost] = readdirSync(pipes).filter((name) => !former.includes(name))
    const path = JSON.stringify(join(pipes, pipesOfLost!))
    const remove = `process.getBuiltinModule('node:fs').rmSync(${path}, { recursive: true })`
    expect(await upgradeKeeper(dataDir, newProgram(remove))).toBeUndefined()
    expect(await instance.ended).toMatchObject({ isOurs: true, goesOn: true })
    const again = await until(() => server.start('dep_1').catch(() => undefined))
    expect(await answerOf(again)).toBe(own)
    const anew = await server.start('dep_2')
    expect(await until(() => answerOf(anew))).not.toBe(lost)
    expect([server.errors, server.warnings]).toEqual([
      ['an app could not be taken over; it is started again'],
      ['another server upgrades the process that keeps apps; the apps go on'],
    ])
  })

  it('refuses while a build runs, a program that is replaced meanwhile, and one that cannot go on with its apps', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    const own = await answerOf(await server.serve('dep_1'))
    const replaced = join(newFolder(), 'replaced.mjs')
    const replace = `process.getBuiltinModule('node:fs').writeFileSync(process.argv[1], '')`
    writeFileSync(replaced, `${replace}\nconsole.log(1)`)
    expect(await upgradeKeeper(dataDir, replaced)).toBe('the other program was replaced after it was tried')
    const other = join(newFolder(), 'other.mjs')
    writeFileSync(other, 'console.log(0)')
    expect(await upgradeKeeper(dataDir, other)).toBe('the other program cannot go on with apps of this one')
    const deploy = { ...deployFacts('app_1', 'dep_2'), buildCommand: 'echo begins; sleep 1000' }
    const stopping = new AbortController()
    const onLine: OnLine = ({ text: line }) => void server.lines.push(line)
    async function* files() {}
    const facts = { deploy, files: files(), environment: {}, onLine, signal: stopping.signal }
    const building = server.target.build(facts)
    await until(() => server.lines.includes('begins'))
    expect(await upgradeKeeper(dataDir, newProgram(''))).toBe('a build, a start or a stop of an app is under way')
    stopping.abort()
    await building.catch(() => {})
    expect(await server.visit()).toEqual({ status: 200, body: own })
  })

  it('starts its apps anew if the new program cannot read what the former one left, and says so', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    const instance = await server.serve('dep_1')
    const own = await answerOf(instance)
    const damage = `writeFileSync(process.argv[2] + '/keeper/hand-over/state', 'damaged')`
    expect(await upgradeKeeper(dataDir, newProgram(damage))).toBeUndefined()
    await instance.ended
    const again = await until(() => server.start('dep_1').catch(() => undefined))
    expect(await until(() => answerOf(again))).not.toBe(own)
    await until(() => server.errors.includes('apps could not be taken over by the new release; they are started again'))
  })
})

describe('OP-07 a keeper of another release', () => {
  /** Listens as a keeper with an older protocol, and returns what a server sends to it. */
  async function openFormer(
    dataDir: string,
    startedBy: 'server' | 'operator',
    { program, refusals = Number.POSITIVE_INFINITY }: { program?: string; refusals?: number } = {},
  ) {
    const received: { do: string; id: number }[] = []
    const keeper = await listenLocal(chooseSocket(dataDir), (socket) => {
      socket.write(`${JSON.stringify({ is: 'welcome', protocol: 0, startedBy, program })}\n`)
      socket.on('data', (bytes) => {
        const order = JSON.parse(bytes.toString()) as (typeof received)[0]
        received.push(order)
        const fault = { message: 'it is busy' }
        if (order.do === 'upgrade' && received.length <= refusals)
          return socket.write(`${JSON.stringify({ is: 'done', id: order.id, fault })}\n`)
        socket.destroy()
        void keeper[Symbol.asyncDispose]()
      })
      socket.on('error', () => {}).on('end', () => socket.destroy())
    })
    cleanUps.push(() => keeper[Symbol.asyncDispose]())
    return received
  }

  it('that a server started is ended and replaced', async () => {
    const dataDir = newFolder()
    const received = await openFormer(dataDir, 'server')
    const server = await openServer(dataDir)
    expect(received).toEqual([{ do: 'shut_down', id: 0 }])
    await server.serve('dep_1')
    expect((await server.visit()).status).toBe(200)
  })

  it('that is a service of its own is left alone, and the operator is told', async () => {
    const dataDir = newFolder()
    const received = await openFormer(dataDir, 'operator')
    await expect(openServer(dataDir)).rejects.toThrow(
      `or end it and then \`SVC_DATA_DIR=${dataDir} svc-server keeper\` of this release`,
    )
    expect(received).toEqual([])
  })

  it('is asked to upgrade first, and ended with its apps if it refuses until the time for that is over', async () => {
    const dataDir = newFolder()
    const received = await openFormer(dataDir, 'server', { program: 'another' })
    const server = await openServer(dataDir, { upgradeMs: 0 })
    expect(received.map((order) => order.do)).toEqual(['upgrade', 'shut_down'])
    expect(server.warnings).toEqual(['the process that keeps apps was not upgraded'])
    expect(server.errors).toEqual([
      'the process that keeps apps is of another release; it and its apps are started again',
    ])
  })

  it('is asked again if it refuses, because its apps would end with it', async () => {
    const dataDir = newFolder()
    const received = await openFormer(dataDir, 'server', { program: 'another', refusals: 1 })
    const server = await openServer(dataDir)
    expect(received.map((order) => order.do)).toEqual(['upgrade', 'upgrade'])
    expect(server.warnings).toEqual(['the process that keeps apps was not upgraded'])
    expect(server.errors).toEqual([])
  })
})

needs('bubblewrap')('OP-07 a sandbox', () => {
  it('has no way to the socket of the keeper', async () => {
    const dataDir = newFolder()
    const server = await openServer(dataDir)
    await server.target.build({
      deploy: {
        ...deployFacts('app_1', 'dep_1'),
        buildCommand: `ls -la ${dataDir}/keeper; node -e "require('net').connect('${dataDir}/keeper/control.sock').on('error', (e) => console.log(e.code))"`,
      },
      files: (async function* () {})(),
      environment: {},
      onLine: ({ text: line }) => void server.lines.push(line),
      signal: new AbortController().signal,
    })
    expect(server.lines.join('\n')).toContain('ENOENT')
    expect(server.lines.join('\n')).not.toContain('control.sock')
  })
})
