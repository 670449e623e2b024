// Light or dark: as the system says, until somebody chooses.
import { createStore } from '../ui/store.ts'

export type Theme = 'system' | 'light' | 'dark'
const place = 'patchbay.theme'

export const theme = createStore<Theme>((localStorage.getItem(place) as Theme | null) ?? 'system')

export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') {
    localStorage.removeItem(place)
    delete document.documentElement.dataset['theme']
  } else {
    localStorage.setItem(place, chosen)
    document.documentElement.dataset['theme'] = chosen
  }
  theme.set(chosen)
}
