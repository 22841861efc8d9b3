import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/**
 * Runs a tenth of every benchmark, three at a time: a tenth fails by its floors only, and no floor depends on speed. Most
 * of them wait for the disk or for a server to settle half of their time, so three keep two processors busy. The slowest
 * come first, so that all runners end at about the same time.
 */
const SLOWEST_FIRST = ['scale', 'notify', 'maintenance', 'start', 'ask', 'soak', 'functions', 'apps']
const MAX_AT_ONCE = 3

const names = globSync('bench/*/run.ts').map((path) => path.split(/[\\/]/)[1]!)
const queue = [...SLOWEST_FIRST, ...names.filter((name) => !SLOWEST_FIRST.includes(name)).toSorted()]
const failed: string[] = []

async function runOne(name: string): Promise<void> {
  const began = performance.now()
  const child = spawn(process.execPath, [`bench/${name}/run.ts`, '--tenth'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code, signal], output, errors] = await Promise.all([
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
    text(child.stderr),
  ])
  if (code !== 0) failed.push([`${name} ended with ${code ?? signal}`, ...missed(output)].join('\n  '))
  console.log(`== ${name}, ${Math.round((performance.now() - began) / 1000)} s\n${output}${errors}`)
}

/** The floors that were missed: CI keeps only the last lines. */
function missed(output: string): string[] {
  return output.split('\n').filter((line) => line.startsWith('MISSED'))
}

async function runFromQueue(): Promise<void> {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) await runOne(name)
}

await Promise.all(Array.from({ length: MAX_AT_ONCE }, runFromQueue))
for (const fault of failed) console.error(`benchmark ${fault}`)
process.exitCode = failed.length > 0 ? 1 : 0
