import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { RequestBars } from './request-bars.tsx'

const hour = (place: number, requests: number | null, failed: number | null) => ({
  at: `2026-03-15T0${place}:00:00.000Z`,
  requests,
  failed,
})

it('AP-02 CO-11 the bars of an app are as high as its requests, failed ones too, and are told in words', () => {
  const html = renderToStaticMarkup(
    <RequestBars hours={[hour(0, null, null), hour(1, 1000, 250), hour(2, 500, 1), hour(3, 0, 0)]} />,
  )
  expect(html).toContain('aria-label="1,500 requests, 251 failed (16.7 %) in the last day"')
  const heights = [...html.matchAll(/ height="([\d.]+)"/g)].slice(1).map(([, height]) => Number(height))
  expect(heights).toEqual([0, 0, 20, 5, 10, 1, 0, 0])
})
