import { createStore } from '../ui/store.ts'

export const isPaletteOpen = createStore(false)
