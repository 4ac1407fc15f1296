//! What candle does itself of the job of main.rs: sums alone, of contiguous tensors. For comparison
//! of what the two take to compile, and how large they are.

use std::time::Instant;

use candle_core::{Device, Result, Tensor, Var};

fn main() -> Result<()> {
    let cpu = &Device::Cpu;
    let matrix = Tensor::new(&[[1_f32, 2., 3.], [4., 5., 6.]], cpu)?;
    let ids = Tensor::new(&[1_i64, 0, 1], cpu)?;
    let (zeros, turned) = (Tensor::zeros((2, 2), candle_core::DType::F32, cpu)?, matrix.t()?);
    println!("{}", zeros.index_add(&ids, &turned.contiguous()?, 0)?);
    println!("{}", turned.contiguous()?.index_select(&ids, 0)?);
    let flat = Tensor::new(&[5_f32, 5.], cpu)?;
    println!("{}", flat.scatter_add(&ids, &Tensor::new(&[1_f32, 3., 7.], cpu)?, 0)?);

    let table = Var::from_tensor(&turned.contiguous()?)?;
    let loss = table.index_select(&ids, 0)?.sqr()?.sum_all()?;
    println!("{}", loss.backward()?.get(&table).expect("of the only variable"));

    let updates = Tensor::rand(0_f32, 1., (64, 20_000), cpu)?.t()?;
    let ids: Vec<u32> = (0..20_000).map(|n| n * 7919 % 1000).collect();
    let (ids, data) = (Tensor::new(ids, cpu)?, Tensor::rand(0_f32, 1., (1000, 64), cpu)?);
    let start = Instant::now();
    let sum = data.index_add(&ids, &updates.contiguous()?, 0)?;
    println!("{:.1} ms, {:?}", start.elapsed().as_secs_f64() * 1e3, sum.shape());
    Ok(())
}
