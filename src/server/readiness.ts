import type { Readiness } from '#contract/system.ts'

/** `optional`: without it the work goes on, a little worse. */
export type Check = { ask: () => Promise<unknown>; optional?: boolean }

const CHECK_MS = 2_000

/** Asks every dependency at once; one that does not answer in time is failing, by name. */
export async function checkReadiness(checks: Readonly<Record<string, Check>>): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await run(check)] as const),
  )
  const dependencies = Object.fromEntries(results)
  const ok = results.every(([, result]) => result.status !== 'failing')
  return { status: ok ? 'ready' : 'not_ready', dependencies }
}

async function run({ ask, optional }: Check): Promise<Readiness['dependencies'][string]> {
  const started = performance.now()
  const duration = () => Math.round(performance.now() - started)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('late')), CHECK_MS)
  try {
    await Promise.race([ask(), late.promise])
    return { status: 'ok', duration_ms: duration() }
  } catch (error) {
    // No inner text: readiness is open to everyone.
    const detail =
      error instanceof Error && error.message === 'late' ? `no answer in ${CHECK_MS} ms` : 'failed; see the log'
    return { status: optional ? 'degraded' : 'failing', duration_ms: duration(), detail }
  } finally {
    clearTimeout(timer)
  }
}
