//! Makes ../src/protocol.rs from ../proto, with a protobuf compiler written in Rust.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let bot = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let descriptors = protox::compile(["arena/v1/play.proto"], [bot.join("proto")])?;
    let folder = std::env::temp_dir();
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .out_dir(&folder)
        .compile_fds(descriptors)?;
    std::fs::copy(folder.join("arena.v1.rs"), bot.join("src/protocol.rs"))?;
    Ok(())
}
