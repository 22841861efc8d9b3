import type { System } from '../system.ts'
import { markerOf, secretsOf, type Target } from './plant.ts'
import { createLeakSearch, SEARCHED } from './planted-secrets.ts'
import { createChance } from './random.ts'
import { StolenClaims } from './stolen-claims.ts'

/** Sees everything that models are sent. */
export class RequestWatch {
  targets: readonly Target[] = []
  stolen: StolenClaims | undefined
  maxBytes = 0
  readonly leaks: string[] = []
  readonly #seen = new Set<string>()
  readonly #searches = new Map<string, (text: string) => string[]>()
  readonly #chance = createChance(1)

  begin(system: System, targets: readonly Target[]): void {
    this.targets = targets
    this.stolen = new StolenClaims(system.db)
    const own = [...system.secrets, ...Object.values(system.config.secrets).flat()].filter((one) => one !== undefined)
    for (const { model, style } of targets) {
      const markers = targets.flatMap((other) => [markerOf(other.model, 'shop'), markerOf(other.model, 'quiet')])
      const foreign = markers.filter((marker) => marker !== markerOf(model, 'shop'))
      this.#searches.set(model, createLeakSearch([...secretsOf(style, model), ...own, ...foreign, 'svcrun.']))
    }
  }

  words(model: string): { foreign: readonly string[]; searched: readonly string[] } {
    const others = this.targets.filter((target) => target.model !== model)
    const own = this.targets.find((target) => target.model === model)
    return {
      foreign: ['quiet', own?.other.id ?? '', ...others.flatMap(({ orgId, app }) => [orgId, app.id, app.revisionId])],
      searched: SEARCHED,
    }
  }

  /** A conversation repeats itself in every request, so each of its texts is searched once. */
  see(model: string, body: string): void {
    this.maxBytes = Math.max(this.maxBytes, Buffer.byteLength(body))
    if (this.#seen.size > 20_000) this.#seen.clear()
    for (const text of textsIn(JSON.parse(body))) {
      const key = `${model} ${text}`
      if (this.#seen.has(key)) continue
      this.#seen.add(key)
      for (const leak of this.#searches.get(model)!(text)) this.leaks.push(`${model}: ${leak} in ${around(text, leak)}`)
    }
  }

  async steal(model: string): Promise<void> {
    const target = this.targets.find((one) => one.model === model)
    if (target) await this.stolen?.steal(target, this.#chance)
  }
}

function around(text: string, leak: string): string {
  const at = Math.max(0, text.indexOf(leak))
  return JSON.stringify(text.slice(Math.max(0, at - 120), at + 120))
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
