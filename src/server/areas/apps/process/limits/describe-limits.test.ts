import { expect, it } from 'vitest'
import { describeLimits } from './describe-limits.ts'

it('OP-09 one line says by what each limit of apps holds', () => {
  expect(describeLimits({ memory: 1, pids: 1, cpu: 1 }, undefined)).toEqual({
    line: 'Limits of apps: memory, processes and processor by cgroup v1; disk of builds by a file system of its own',
    gaps: [],
  })
  expect(describeLimits({ memory: 2, pids: 2 }, 'svc is not root').line).toBe(
    'Limits of apps: memory and processes by cgroup v2; processor at the idle class; disk of builds watched twice a second',
  )
})

it('OP-09 each limit that does not bind is named, with what to do', () => {
  const { gaps } = describeLimits({}, 'svc is not root')
  expect(gaps.map(({ message }) => message.split('.')[0])).toEqual([
    'No control group limits the memory of apps',
    'No control group limits the processes of apps: each app has its limit, but an organization has no total',
    'No control group shares the processor between organizations',
    'Builds have no file system of their own, because svc is not root',
  ])
  expect(gaps.every(({ action }) => action.startsWith('Run svc as '))).toBe(true)
})
