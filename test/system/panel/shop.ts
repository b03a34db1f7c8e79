import type { Page } from 'playwright-core';

/** A shop of our own making, in the states of one run, so that pictures look like real ones. */
export interface ShopState {
  readonly voucher: string;
  readonly applied: boolean;
  readonly lamps: number;
  readonly catalogue?: boolean;
}

export const shopStates: readonly ShopState[] = [
  { voucher: '', applied: false, lamps: 0, catalogue: true },
  { voucher: '', applied: false, lamps: 1, catalogue: true },
  { voucher: '', applied: false, lamps: 2 },
  { voucher: 'WINTER10', applied: false, lamps: 2 },
  { voucher: 'WINTER10', applied: true, lamps: 2 },
];

export function shopPage({ voucher, applied, lamps, catalogue = false }: ShopState): string {
  const total = 39 * lamps * (applied ? 0.9 : 1);
  const cart = `<h1>Your cart</h1><div class="cols"><div><div class="card item"><i></i><p><b>Desk lamp “Vega”</b><br>brass, warm white</p><span>${lamps} × 39.00</span></div>
    <div class="card"><label>Voucher<br><input value="${voucher}"></label><button class="soft">Apply</button>${applied ? '<p class="good">Voucher applied: −10 %</p>' : ''}</div></div>
    <div class="card sum"><p>Subtotal<span>${(39 * lamps).toFixed(2)}</span></p>${applied ? `<p>Voucher<span>−${(3.9 * lamps).toFixed(2)}</span></p>` : ''}<p class="total">Total<span>${total.toFixed(2)}</span></p><button>Place order</button></div></div>`;
  const goods = ['Vega', 'Lyra', 'Altair', 'Deneb', 'Rigel', 'Mira']
    .map(
      (name) =>
        `<div class="card good-card"><i></i><b>${name}</b><span>39.00</span><button class="soft">Add to cart</button></div>`,
    )
    .join('');
  return `<!doctype html><meta charset="utf-8"><style>
    * { box-sizing: border-box } body { margin: 0; font: 15px "DejaVu Sans", sans-serif; color: #1c2333; background: #f5f6f8 }
    nav { display: flex; gap: 28px; align-items: center; height: 64px; padding: 0 36px; background: #fff; border-bottom: 1px solid #e3e6ea }
    nav b { color: #1a4fd6; font-size: 20px } nav span { margin-left: auto }
    main { padding: 30px 36px } h1 { font-size: 26px; margin: 0 0 20px } .cols { display: grid; grid-template-columns: 1fr 370px; gap: 30px; align-items: start }
    .card { background: #fff; border: 1px solid #e3e6ea; border-radius: 8px; padding: 20px; margin-bottom: 20px }
    .item { display: flex; gap: 20px; align-items: center } .item span { margin-left: auto } i { display: block; width: 80px; height: 80px; border-radius: 6px; background: linear-gradient(135deg, #ffcf87, #ffb14f) }
    input { font: inherit; padding: 10px; width: 280px; border: 1px solid #c5cad3; border-radius: 5px; margin-top: 8px } button { font: inherit; padding: 12px 20px; border: 0; border-radius: 5px; background: #1a4fd6; color: #fff; width: 100% }
    .soft { width: auto; background: #e6ecfb; color: #1c2333; margin-left: 10px } .good { color: #177a35; margin: 12px 0 0 }
    .sum p { display: flex; margin: 0 0 14px } .sum span { margin-left: auto } .total { font-weight: bold; font-size: 17px; border-top: 1px solid #e3e6ea; padding-top: 14px }
    .goods { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px } .good-card { display: grid; gap: 10px } .good-card .soft { margin: 0 } .good-card i { width: 100%; height: 120px }
    </style><nav><b>Nordlicht Lamps</b><a>Catalogue</a><a>Delivery</a><span>Cart (${lamps})</span></nav><main>${catalogue ? `<h1>Lamps</h1><div class="goods">${goods}</div>` : cart}</main>`;
}

/** PNG and JPEG pictures of every state, 1280 × 800. */
export async function photographShop(page: Page): Promise<readonly { png: Buffer; jpeg: Buffer }[]> {
  await page.setViewportSize({ width: 1280, height: 800 });
  const pictures: { png: Buffer; jpeg: Buffer }[] = [];
  for (const state of shopStates) {
    await page.setContent(shopPage(state));
    pictures.push({ png: await page.screenshot(), jpeg: await page.screenshot({ type: 'jpeg', quality: 70 }) });
  }
  return pictures;
}
