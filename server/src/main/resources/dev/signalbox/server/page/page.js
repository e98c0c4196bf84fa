// The published machines and how many live instances each has.
const { machines } = await (await fetch('/api/v1/machines')).json();
const list = document.createElement('ul');
for (const machine of machines) {
  const item = document.createElement('li');
  item.textContent = `${machine.name} version ${machine.version}: ${machine.live} live`;
  list.append(item);
}
document.getElementById('machines').append(list);
