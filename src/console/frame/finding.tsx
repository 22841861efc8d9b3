import { CatchBoundary, useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { guideIndex } from '#contract/guides.ts'
import { docs } from '#contract/system.ts'
import { Palette } from '../palette/palette.tsx'
import type { PaletteItem } from '../palette/palette-item.ts'
import { lazyComponent } from '../parts/page/lazy-component.ts'
import { useSession } from '../session/session.ts'
import { type Entry, entriesFor } from './navigation.ts'
import { useShortcuts } from './use-shortcuts.ts'

const ShortcutList = lazyComponent(() => import('../palette/shortcut-list.tsx'), 'ShortcutList')

type FindingState = {
  readonly open: 'palette' | 'list' | undefined
  readonly entries: readonly Entry[]
  readonly onSearch: () => void
  readonly onList: () => void
  readonly onClose: () => void
}

/** Opens the palette and the list of shortcuts, by keys and by the buttons of the frame. */
export function useFinding(): FindingState {
  const { me } = useSession()
  const router = useRouter()
  const [open, setOpen] = useState<'palette' | 'list'>()
  const entries = entriesFor(me.role)
  const onSearch = () => setOpen('palette')
  const onList = () => setOpen('list')
  const onGo = (key: string) => {
    const entry = entries.find((one) => one.key === key)
    if (entry) router.history.push(entry.to)
  }
  useShortcuts({ onSearch, onList, onGo })
  return { open, entries, onSearch, onList, onClose: () => setOpen(undefined) }
}

const OUTSIDE: readonly PaletteItem[] = [
  { kind: 'Page', title: 'Guides', subtitle: '', to: guideIndex.path, isOutside: true },
  { kind: 'Page', title: 'API documentation', subtitle: '', to: docs.path, isOutside: true },
]

export function Finding({ of: { open, entries, onClose } }: { of: FindingState }) {
  if (open === 'palette') return <Palette pages={[...entries.map(toPage), ...OUTSIDE]} onClose={onClose} />
  if (open !== 'list') return null
  return (
    <CatchBoundary getResetKey={() => open} errorComponent={() => null}>
      <Suspense>
        <ShortcutList pages={entries} onClose={onClose} />
      </Suspense>
    </CatchBoundary>
  )
}

function toPage({ label, to, key }: Entry): PaletteItem {
  return { kind: 'Page', title: label, subtitle: `g ${key}`, to }
}
