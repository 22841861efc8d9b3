import { chatty } from './chatty.ts'
import { denied } from './denied.ts'
import { injection } from './injection.ts'
import { leak } from './leak.ts'
import { midnight } from './midnight.ts'
import { pages } from './pages.ts'
import { profile } from './profile.ts'
import { rejection } from './rejection.ts'
import type { Scenario } from './scenario.ts'
import { setting } from './setting.ts'
import { upstream } from './upstream.ts'

export const SCENARIOS: readonly Scenario[] = [
  profile,
  pages,
  rejection,
  midnight,
  leak,
  upstream,
  setting,
  chatty,
  injection,
  denied,
]
