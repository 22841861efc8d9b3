const orders = [
  { id: 1, item: { name: 'Pencil', price: 120 } },
  { id: 2, item: { name: 'Notebook', price: 450 } },
  { id: 3 },
]

/** Returns what all orders cost together. */
export function totalOf() {
  return orders.reduce((sum, order) => sum + order.item.price, 0)
}
