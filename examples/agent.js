// An agent was asked: "Which customers should we call about late orders, and
// what is it costing us?" It wrote this program; `input` is orders.json.

const today = new Date(input.today);
const DAY_MS = 24 * 60 * 60 * 1000;

const late = input.orders
    .filter((order) => order.status !== 'delivered')
    .map((order) => ({
        ...order,
        value: order.items.reduce((sum, item) => sum + item.quantity * item.price, 0),
        days: Math.floor((today - new Date(order.promised)) / DAY_MS),
    }))
    .filter((order) => order.days > 0);

const byCustomer = Map.groupBy(late, (order) => order.customer);

const calls = [...byCustomer]
    .map(([id, orders]) => ({
        name: input.customers[id].name,
        phone: input.customers[id].phone,
        orders: orders.length,
        worst: Math.max(...orders.map((order) => order.days)),
        value: orders.reduce((sum, order) => sum + order.value, 0),
    }))
    .sort((a, b) => b.value * b.worst - a.value * a.worst);

console.log(`${late.length} of ${input.orders.length} orders are late`);
for (const call of calls)
    console.log(`  ${call.name.padEnd(16)} ${call.phone.padEnd(16)} ` +
                `${String(call.worst).padStart(3)} days  ${call.value.toFixed(2).padStart(9)}`);

const unknown = late.filter((order) => !order.carrier);
if (unknown.length)
    console.error(`no carrier yet: ${unknown.map((order) => order.id).join(', ')}`);

({
    late: late.length,
    at_risk: Number(late.reduce((sum, order) => sum + order.value, 0).toFixed(2)),
    call_first: calls.slice(0, 3).map((call) => call.name),
});
