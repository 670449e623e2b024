export type Customer = {
  email: string
  firstName: string
  lastName: string
  tag: string
  orders: number
  /** One order in so many is refused by the target. */
  refusedEvery: number
}

export const customers: readonly Customer[] = [
  {
    email: 'nordic.outdoor@example.com',
    firstName: 'Nordic',
    lastName: 'Outdoor',
    tag: 'retail',
    orders: 700,
    refusedEvery: 90,
  },
  {
    email: 'fjord.coffee@example.com',
    firstName: 'Fjord',
    lastName: 'Coffee',
    tag: 'food',
    orders: 500,
    refusedEvery: 60,
  },
  {
    email: 'harbour.books@example.com',
    firstName: 'Harbour',
    lastName: 'Books',
    tag: 'retail',
    orders: 400,
    refusedEvery: 0,
  },
  {
    email: 'birch.interiors@example.com',
    firstName: 'Birch',
    lastName: 'Interiors',
    tag: 'retail',
    orders: 300,
    refusedEvery: 45,
  },
  {
    email: 'glacier.gear@example.com',
    firstName: 'Glacier',
    lastName: 'Gear',
    tag: 'sports',
    orders: 250,
    refusedEvery: 0,
  },
]
