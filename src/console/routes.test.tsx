import { createRouter } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { CONSOLE_ADDRESSES } from '#contract/console.ts'
import { createRoutes } from './routes.tsx'

it('CO-01 the server knows the address of every page, so that a reload finds it', () => {
  const served = CONSOLE_ADDRESSES.map((address) => new RegExp(`^${address.replace(/\{[^}]+\}/g, '[^/]+')}/?$`))
  const pages = Object.keys(createRouter({ routeTree: createRoutes() }).routesByPath)
  expect(pages.length).toBeGreaterThan(25)
  expect(pages.filter((page) => !served.some((address) => address.test(page)))).toEqual([])
})
