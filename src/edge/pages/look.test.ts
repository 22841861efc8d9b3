import { describe, expect, it } from 'vitest'
import { LOOK } from './look.ts'

type Colours = readonly [light: string, dark: string]

const COLOURS = new Map<string, Colours>(
  [...LOOK.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, light, dark]) => [
    name!,
    [light!, dark!],
  ]),
)

/** Relative luminance and contrast ratio as WCAG 2.2 defines them. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string, theme: 0 | 1): number {
  const [a, b] = [one, other].map((name) => luminance(COLOURS.get(name)![theme]))
  return (Math.max(a!, b!) + 0.05) / (Math.min(a!, b!) + 0.05)
}

function below(least: number, front: readonly string[], back: readonly string[]): string[] {
  const pairs = front.flatMap((one) =>
    back.flatMap((other) => ([0, 1] as const).map((theme) => ({ one, other, theme }))),
  )
  return pairs
    .filter(({ one, other, theme }) => contrast(one, other, theme) < least)
    .map(({ one, other, theme }) => `${one} on ${other} (${theme === 0 ? 'light' : 'dark'})`)
}

const BACKGROUNDS = ['ground', 'surface', 'raised', 'sunken', 'accent-wash']
const STATUSES = ['success', 'attention', 'failure', 'running', 'unknown']

describe('CO-06 the colours', () => {
  it('texts reach the contrast of WCAG AA in both themes', () => {
    expect(below(4.5, ['ink', 'soft', 'accent', 'accent-hover', ...STATUSES], BACKGROUNDS)).toEqual([])
    expect(below(4.5, ['on-accent'], ['accent', 'accent-hover'])).toEqual([])
    expect(STATUSES.flatMap((status) => below(4.5, [status, 'ink'], [`${status}-wash`]))).toEqual([])
  })

  it('borders of fields and the series of charts reach the contrast of parts that carry meaning', () => {
    const series = Array.from({ length: 8 }, (_, index) => `series-${index + 1}`)
    expect(below(3, ['line-strong', ...series], ['ground', 'surface', 'sunken'])).toEqual([])
  })

  it('every colour has a value for each theme', () => {
    expect(LOOK.match(/#\w+/g)).toHaveLength(COLOURS.size * 2)
  })
})
